"""Reading what models answer to the tasks of recaps and breaks; refusing what is none of it."""

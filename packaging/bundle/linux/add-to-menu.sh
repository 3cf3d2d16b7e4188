#!/bin/sh
# Shows Tavernkeep in your desktop's menu, for you alone; with --remove no longer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-"$HOME/.local/share"}
entry=$data/applications/tavernkeep.desktop
small=$data/icons/hicolor/256x256/apps/tavernkeep.png
large=$data/icons/hicolor/scalable/apps/tavernkeep.svg

if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$small" "$large"
    echo "Tavernkeep is no longer in the menu. Your stories' memory is kept."
    exit 0
fi
mkdir -p "$(dirname "$entry")" "$(dirname "$small")" "$(dirname "$large")"
cp "$here/share/icons/hicolor/256x256/apps/tavernkeep.png" "$small"
cp "$here/share/icons/hicolor/scalable/apps/tavernkeep.svg" "$large"
# A path with blanks needs quotes there; TryExec takes it as it is.
while IFS= read -r line; do
    case $line in
        Exec=*) printf 'Exec="%s"\n' "$here/tavernkeep" ;;
        TryExec=*) printf 'TryExec=%s\n' "$here/tavernkeep" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$here/share/applications/tavernkeep.desktop" >"$entry"
echo "Tavernkeep is in the menu now. Leave this folder where it is."

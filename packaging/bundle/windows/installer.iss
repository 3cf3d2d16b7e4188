; Read by Inno Setup's ISCC with /DVersion=, /DProgram= (the frozen folder) and /DOut=.
[Setup]
AppId=tavernkeep
AppName=Tavernkeep
AppVersion={#Version}
DefaultDirName={autopf}\Tavernkeep
DefaultGroupName=Tavernkeep
; For this user alone, without an administrator, unless asked otherwise.
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2
SolidCompression=yes
DisableProgramGroupPage=yes
CloseApplications=yes
UninstallDisplayIcon={app}\tavernkeep.exe
OutputDir={#Out}
OutputBaseFilename=tavernkeep-{#Version}-windows-x86_64-setup

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "de"; MessagesFile: "compiler:Languages\German.isl"

[InstallDelete]
; An older version's modules must not stay beside the newer ones.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Program}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Tavernkeep"; Filename: "{app}\tavernkeep.exe"

[Run]
Filename: "{app}\tavernkeep.exe"; Description: "{cm:LaunchProgram,Tavernkeep}"; Flags: nowait postinstall skipifsilent

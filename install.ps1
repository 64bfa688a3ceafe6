# Installs trueup for this user on Windows; needs no administrator and no Python. PowerShell 5.1 and 7.
#
#     powershell -ExecutionPolicy Bypass -File install.ps1                        then type: trueup up tensorflow
#     powershell -ExecutionPolicy Bypass -File install.ps1 up tensorflow --yes    installs, then runs trueup
#
# It fetches uv, checks it against the SHA-256 below, and lets it make an environment of its own in
# %LOCALAPPDATA%\trueup, with a Python that is here or that uv brings, and the launcher bin\trueup.cmd in it.
# Nothing else is changed. `trueup self uninstall` takes all of it away. A failed run leaves nothing.
#
#     TRUEUP_SOURCE   where trueup comes from: a folder, a wheel, an address (default: the folder of this file)
#     TRUEUP_INDEX    a package index to take uv and the packages from, such as a mirror (ends with /simple)
#     UV_PYTHON_INSTALL_MIRROR   a mirror for uv's Pythons;  HTTPS_PROXY   a proxy
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'  # drawn by 5.1 for each block, it makes downloads ten times slower
$Version = '0.12.5'
$Releases = 'https://github.com/astral-sh/uv/releases/download'
# the release's archive and its SHA-256, the tag of the wheel on PyPI and its SHA-256
$Known = @{
    'AMD64' = @('x86_64-pc-windows-msvc', '4c4d49d8738847d9b71ba319e49a5688c93eac0fe6204b1df24e98528dddf39a',
        'win_amd64', '455c3e57602e2141e66e2f0bf685898c9c5e5a70377d14c9a71554a3baf3ddbf')
    'ARM64' = @('aarch64-pc-windows-msvc', '724279317fee6e5fa8ad1908e4eba2bbe764ef1ece5b3f4597927b62b1fe562a',
        'win_arm64', 'bea86f27a027e0e3af908db4bdd4f1ceef3ca2bd47673b5ccca7f550e325b1b4')
}

function Stop-Install([string]$What, [string]$Hint) { throw "$What`n`nhint: $Hint" }

function Get-File([string]$Address, [string]$Target) {
    $options = @{ Uri = $Address; OutFile = $Target; UseBasicParsing = $true; TimeoutSec = 600 }
    if ($env:HTTPS_PROXY) { $options.Proxy = $env:HTTPS_PROXY }  # 5.1 knows only the system's own setting
    try { Invoke-WebRequest @options }
    catch {
        Stop-Install "$Address could not be downloaded: $($_.Exception.Message)" `
            'check the network; behind a proxy set HTTPS_PROXY; TRUEUP_INDEX names a mirror'
    }
}

function Get-Link([string]$Index, [string]$File, [string]$Folder) {
    Get-File "$Index/uv/" "$Folder\page"
    $page = [IO.File]::ReadAllText("$Folder\page")
    $found = [regex]::Match($page, "href=[`"']([^`"'#]*" + [regex]::Escape($File) + ')')
    if (-not $found.Success) { Stop-Install "$Index has no $File" 'use another mirror, or unset TRUEUP_INDEX' }
    return [Uri]::new([Uri]"$Index/uv/", $found.Groups[1].Value).AbsoluteUri
}

function Get-Uv([string]$Folder) {
    $machine = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    if (-not $Known.ContainsKey($machine)) { Stop-Install "there is no uv for $machine" '64-bit Windows is needed' }
    $target, $archive, $tag, $wheel = $Known[$machine]
    $expected, $link = $archive, "$Releases/$Version/uv-$target.zip"
    if ($env:TRUEUP_INDEX) {
        $expected, $link = $wheel, (Get-Link $env:TRUEUP_INDEX.TrimEnd('/') "uv-$Version-py3-none-$tag.whl" $Folder)
    }
    Write-Host "fetching uv $Version ..."
    Get-File $link "$Folder\uv.zip"
    if ((Get-FileHash -LiteralPath "$Folder\uv.zip" -Algorithm SHA256).Hash -ne $expected) {
        Stop-Install "$link is not the file it should be (SHA-256 $expected)" `
            'something on the way changed it: use another network or mirror'
    }
    Add-Type -AssemblyName System.IO.Compression.FileSystem
    [IO.Compression.ZipFile]::ExtractToDirectory("$Folder\uv.zip", "$Folder\x")
    $program = Get-ChildItem -LiteralPath "$Folder\x" -Recurse -Filter uv.exe | Select-Object -First 1
    Move-Item -LiteralPath $program.FullName "$Folder\uv.exe"
    Remove-Item -LiteralPath "$Folder\x", "$Folder\uv.zip" -Recurse -Force
}

function Find-Source {
    $source = if ($env:TRUEUP_SOURCE) { $env:TRUEUP_SOURCE } else { $PSScriptRoot }
    $folder = $source -and (Test-Path -LiteralPath $source -PathType Container)
    if ($folder -and -not (Test-Path -LiteralPath "$source\pyproject.toml")) {
        $source = Get-ChildItem -LiteralPath $source -Filter 'trueup-*.whl' | Select-Object -First 1 -ExpandProperty FullName
    }
    if ($source) { return $source.TrimEnd('\') }
    Stop-Install 'trueup itself is not beside install.ps1' 'run it in a clone or a bundle, or set TRUEUP_SOURCE'
}

function Install-Trueup([string]$Data, [string]$Tool) {
    $source = Find-Source
    New-Item -ItemType Directory -Force -Path $Tool, "$Data\bin" | Out-Null
    Get-Uv $Tool
    if ($env:TRUEUP_INDEX -and -not $env:UV_DEFAULT_INDEX) { $env:UV_DEFAULT_INDEX = $env:TRUEUP_INDEX }
    $env:UV_CACHE_DIR = "$Tool\cache"
    $env:UV_PYTHON_INSTALL_DIR = "$Tool\python"
    Write-Host "installing trueup into $Data ..."
    & "$Tool\uv.exe" venv -q --no-project --python '>=3.10' "$Tool\env"
    if ($LASTEXITCODE -eq 0) { & "$Tool\uv.exe" pip install -q --python "$Tool\env\Scripts\python.exe" $source }
    $hint = 'check the network; TRUEUP_INDEX and UV_PYTHON_INSTALL_MIRROR name mirrors'
    if ($LASTEXITCODE -ne 0) { Stop-Install 'uv could not install trueup; its words are above' $hint }
    Remove-Item -LiteralPath "$Tool\cache", "$Tool\uv.exe", "$Tool\page" -Recurse -Force -ErrorAction SilentlyContinue
    [IO.File]::WriteAllText("$Data\installed", "tool=$Tool`nlauncher=$Data\bin\trueup.cmd`nmade=$Data\bin`nmade=$Data`n")
    $line = '@"%~dp0..\' + (Split-Path -Leaf $Tool) + '\env\Scripts\trueup.exe" %*'
    [IO.File]::WriteAllText("$Data\bin\trueup.cmd", "@rem trueup's launcher`r`n$line`r`n")
    Get-ChildItem -LiteralPath $Data -Directory -Filter 'tool-*' | Where-Object { $_.FullName -ne $Tool } |
        Remove-Item -Recurse -Force -ErrorAction SilentlyContinue
}

# Windows PowerShell 5.1 asks for old TLS by itself, which servers refuse.
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
$data = Join-Path $env:LOCALAPPDATA 'trueup'
$tool = Join-Path $data ('tool-{0:yyyyMMddHHmmss}-{1}' -f (Get-Date), $PID)
$kept = $env:UV_DEFAULT_INDEX, $env:UV_CACHE_DIR, $env:UV_PYTHON_INSTALL_DIR
$whole = $false
try {
    Install-Trueup $data $tool
    $whole = $true
}
catch { [Console]::Error.WriteLine("error: $($_.Exception.Message)") }
finally {
    $env:UV_DEFAULT_INDEX, $env:UV_CACHE_DIR, $env:UV_PYTHON_INSTALL_DIR = $kept
}
if (-not $whole) {
    Remove-Item -LiteralPath $tool -Recurse -Force -ErrorAction SilentlyContinue
    foreach ($folder in "$data\bin", $data) { try { [IO.Directory]::Delete($folder) } catch { Write-Debug "not empty" } }
    exit 2
}
Write-Host "installed: $data\bin\trueup.cmd"
Write-Host "hint: ``& `"$data\bin\trueup.cmd`" self add-path`` puts it on PATH, ``trueup undo`` takes it back"
if (-not $args) { exit 0 }
& "$data\bin\trueup.cmd" @args
exit $LASTEXITCODE

@echo off
rem Builds the environment of this bundle: no network, no administrator. Arguments go to `trueup up`,
rem for example --env FOLDER. It needs a Python of 3.10 or newer, or takes the one in the bundle.
setlocal
set "TEST=import sys; sys.exit(sys.version_info < (3, 10))"
py -3 -c "%TEST%" >nul 2>nul
if not errorlevel 1 goto launcher
python -c "%TEST%" >nul 2>nul
if not errorlevel 1 goto path
set "WORK=%TEMP%\trueup-%RANDOM%%RANDOM%"
for /d %%D in ("%~dp0python\*") do for %%A in ("%%D\*windows-msvc*.tar.gz") do call :unpack "%%A"
if exist "%WORK%\python\python.exe" goto bundled
echo error: no Python of 3.10 or newer was found, and this bundle holds none for Windows 1>&2
echo hint: install one from python.org, or make the bundle with --python-archive FILE; see README.zh-CN.md for Chinese 1>&2
exit /b 2

:launcher
py -3 -I "%~dp0start.py" %*
exit /b %errorlevel%

:path
python -I "%~dp0start.py" %*
exit /b %errorlevel%

:bundled
"%WORK%\python\python.exe" -I "%~dp0start.py" %*
set "STATUS=%errorlevel%"
rmdir /s /q "%WORK%"
exit /b %STATUS%

:unpack
if exist "%WORK%\python\python.exe" exit /b 0
mkdir "%WORK%" 2>nul
tar -xzf %1 -C "%WORK%"
"%WORK%\python\python.exe" -c "%TEST%" >nul 2>nul
if errorlevel 1 rmdir /s /q "%WORK%"
exit /b 0

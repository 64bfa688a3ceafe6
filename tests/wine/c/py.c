/* py.exe, as far as a bundle's install.cmd asks it: `py -3 …` starts the Python that PYTHON names. Wine has no such
 * program, and answers "not found" with success. */
#include <windows.h>
#include <wchar.h>
int wmain(void) {
    static wchar_t line[32768];
    const wchar_t *rest = wcsstr(GetCommandLineW(), L" -3 ");
    if (!rest || !_wgetenv(L"PYTHON")) return 103;
    _snwprintf(line, 32767, L"\"%ls\"%ls", _wgetenv(L"PYTHON"), rest + 3);
    STARTUPINFOW start = {sizeof start};
    PROCESS_INFORMATION made;
    if (!CreateProcessW(0, line, 0, 0, 1, 0, 0, 0, &start, &made)) return 103;
    DWORD code = 103;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    return (int)code;
}

# Builds the environment of this bundle: no network, no administrator. Arguments go to `trueup up`.
& (Join-Path $PSScriptRoot 'install.cmd') @args
exit $LASTEXITCODE

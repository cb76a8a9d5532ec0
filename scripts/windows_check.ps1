<#
What only a real Windows can tell, for whoever has one: builds Cairn, runs every test program, and runs db_bench beside that of RocksDB
from vcpkg. Writes build\windows-check.txt; send it to the project.

  powershell -ExecutionPolicy Bypass -File scripts\windows_check.ps1 [-Preset windows-clang-cl] [-Disk D:\] [-SkipRocksDB]

Needs: Visual Studio 2022 17.6 or newer (its "x64 Native Tools" prompt; as administrator, to try the service too), Python 3, and VCPKG_ROOT. This script was written without
a Windows to try it on.
#>
param([string]$Preset = "windows-clang-cl", [string]$Disk = $env:TEMP, [switch]$SkipRocksDB)
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..")
New-Item -ItemType Directory -Force build | Out-Null
$report = Join-Path (Get-Location) "build\windows-check.txt"
Set-Content $report "Cairn on Windows, $(Get-Date -Format s)"

function Note([string]$text) {
  Write-Host $text
  Add-Content $report $text
}

# Runs a program; its output goes into the report. Says whether it succeeded.
function Step([string]$name, [string]$program, [string[]]$arguments) {
  Note "== $name"
  $clock = [Diagnostics.Stopwatch]::StartNew()
  & $program @arguments 2>&1 | ForEach-Object { "$_" } | Tee-Object -Variable lines | Out-Null
  $ok = $LASTEXITCODE -eq 0
  $lines | Select-Object -Last 40 | ForEach-Object { Note "  $_" }
  Note "== ${name}: $(if ($ok) { 'passed' } else { "FAILED ($LASTEXITCODE)" }), $([int]$clock.Elapsed.TotalSeconds) s"
  return $ok
}

$system = Get-CimInstance Win32_OperatingSystem
Note "system: $($system.Caption) $($system.Version), processors: $env:NUMBER_OF_PROCESSORS"
$volume = Get-Volume -DriveLetter (Split-Path -Qualifier $Disk).TrimEnd(":")
Note "disk: $Disk, $($volume.FileSystem)"
if (-not $env:VCPKG_ROOT) { throw "VCPKG_ROOT is not set" }

$all = $true
$all = (Step "configure" "cmake" @("--preset", $Preset)) -and $all
$all = (Step "build" "cmake" @("--build", "--preset", $Preset)) -and $all

# Tests: on the disk that is to be looked at. Those that Wine left out run here, too.
$env:TEST_TMPDIR = Join-Path $Disk "cairn-check"
New-Item -ItemType Directory -Force $env:TEST_TMPDIR | Out-Null
$all = (Step "tests" "python" @("scripts\windows_test.py", "--build", "build\$Preset")) -and $all

# The service: made, started, reloaded, stopped and deleted. Only an administrator may.
$who = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if ($who.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
  $all = (Step "cairn-server as a service" "python" @("server\windows_check.py", "build\$Preset", "--only", "service")) -and $all
} else {
  Note "cairn-server as a service: not tried, the prompt is not an administrator's"
}

# The four published workloads that fit, each with the page cache and without.
$load = @("--num=5000000", "--key_size=10", "--value_size=800", "--disable_wal=1")
$benches = @{ "ours" = "build\$Preset\bench\db_bench.exe" }
if (-not $SkipRocksDB) {
  [void](Step "RocksDB" (Join-Path $env:VCPKG_ROOT "vcpkg.exe") @("install", "rocksdb[tools]:x64-windows", "--classic"))
  $theirs = Join-Path $env:VCPKG_ROOT "installed\x64-windows\tools\rocksdb\db_bench.exe"
  if (Test-Path $theirs) { $benches["RocksDB's"] = $theirs } else { Note "no db_bench of RocksDB at $theirs" }
}
foreach ($direct in @("false", "true")) {
  foreach ($which in $benches.Keys) {
    $where = Join-Path $env:TEST_TMPDIR "bench"
    foreach ($job in @("fillseq", "fillrandom,overwrite,readrandom", "readwhilewriting")) {
      $fresh = if ($job -eq "readwhilewriting") { "--use_existing_db=1" } else { "--use_existing_db=0" }
      [void](Step "$which $job, unbuffered: $direct" $benches[$which] ($load + @("--benchmarks=$job", "--db=$where", $fresh,
        "--use_direct_reads=$direct", "--use_direct_io_for_flush_and_compaction=$direct")))
    }
    Remove-Item -Recurse -Force $where -ErrorAction SilentlyContinue
  }
}
Remove-Item -Recurse -Force $env:TEST_TMPDIR -ErrorAction SilentlyContinue
Note $(if ($all) { "All steps passed." } else { "Something failed: see above." })
Note "A power cut is not in here: pull the plug of a virtual machine while db_stress runs, and start db_stress again on its database."
exit $(if ($all) { 0 } else { 1 })

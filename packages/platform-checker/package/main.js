#!/usr/bin/env node
/** Checks the version of Node.js before it loads the program, which older versions cannot run. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 19)) await import('./lib/program/main.js')
else {
  console.error(
    `recordhub-check-platform needs Node.js 22.19 or later; this is ${process.version}.`,
  )
  process.exitCode = 2
}

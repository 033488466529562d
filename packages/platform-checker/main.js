#!/usr/bin/env node
/** Tells an older Node.js apart before it loads a program that it cannot run. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 19)) await import('./dist/program/main.js')
else {
  console.error(
    `recordhub-check-platform needs Node.js 22.19 or later; this is ${process.version}.`,
  )
  process.exitCode = 2
}

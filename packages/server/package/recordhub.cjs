#!/usr/bin/env node
/**
 * The command `recordhub`. Old versions of Node.js can parse this file: it checks the version before it loads the
 * program. It also starts Node.js with the options that the program needs (decision 23).
 */
'use strict'

const OPTIONS = ['--max-semi-space-size=8', '--disable-warning=ExperimentalWarning']

/**
 * glibc keeps freed memory of each of its arenas, of which it would use up to eight per core. Without a fixed threshold, it keeps
 * more at the end of an arena the larger the freed blocks are: up to 64 MB after the hash of one password.
 */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

const SUPPORTED = require('./package.json').engines.node.split(' || ')

if (isSupported(process.versions.node)) {
  replaceProcess()
  import('./dist/main.js')
} else {
  console.error(
    `recordhub needs Node.js ${SUPPORTED.map(describe).join(', or ')}; this is ${process.version}. Install Node.js 24 from ` +
      'https://nodejs.org, or use the executable of the release, which needs no Node.js.',
  )
  process.exitCode = 1
}

/** Whether the version is in a range of the form `^22.20.0 || >=24.7.0`. */
function isSupported(version) {
  const actual = version.split('.').map(Number)
  return SUPPORTED.some((range) => {
    const minimum = range.replace(/^\D+/, '').split('.').map(Number)
    if (range[0] === '^' && actual[0] !== minimum[0]) return false
    const differs = minimum.findIndex((part, index) => actual[index] !== part)
    return differs < 0 || actual[differs] > minimum[differs]
  })
}

function describe(range) {
  const version = range.replace(/^\D+/, '')
  return range[0] === '^' ? `${version} or a later ${version.split('.')[0]}` : `${version} or later`
}

/**
 * Starts Node.js again in this process, with the options and variables that the user has not set. Windows cannot replace a process:
 * the hub then runs without the options, and needs more memory.
 */
function replaceProcess() {
  const given = process.execArgv.concat((process.env.NODE_OPTIONS || '').split(' '))
  const isGiven = (option) => given.some((one) => one.split('=')[0] === option.split('=')[0])
  const missing = OPTIONS.filter((option) => !isGiven(option))
  if (missing.length === 0 || !process.execve || process.platform === 'win32') return
  const args = [process.execPath].concat(missing, process.execArgv, process.argv.slice(1))
  process.execve(process.execPath, args, Object.assign({}, ENVIRONMENT, process.env))
}

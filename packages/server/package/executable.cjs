/**
 * The first code of the executable, which contains Node.js and the files of the package. They are unpacked into the
 * user's cache folder once per version, because threads and the page need files (decision 23).
 */
'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, join } = require('node:path')
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')

try {
  run(join(unpack(join(cacheFolder(), 'recordhub')), 'dist'))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** @returns the folder of the unpacked files. Concurrent calls are safe: it is renamed when it is complete. */
function unpack(cache) {
  // Hashing the files here would load all of them into memory at each start.
  const folder = join(cache, getAsset('id', 'utf8'))
  const partial = join(cache, `partial-${process.pid}`)
  try {
    fs.mkdirSync(cache, { recursive: true, mode: 0o700 })
    // Another user who owns the folder could replace the program.
    if (process.getuid && fs.statSync(cache).uid !== process.getuid()) {
      throw new Error('another user owns the folder')
    }
    if (fs.existsSync(folder)) return folder
    fs.rmSync(partial, { recursive: true, force: true })
    for (const key of getAssetKeys()) {
      const file = join(partial, key)
      fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      fs.writeFileSync(file, new Uint8Array(getRawAsset(key)))
    }
    fs.renameSync(partial, folder)
  } catch (error) {
    fs.rmSync(partial, { recursive: true, force: true })
    // Another process was faster.
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return folder
    throw new Error(
      `recordhub cannot unpack its files to ${folder}: ${error.message}. ` +
        'Set XDG_CACHE_HOME to a folder that this user owns and can write to.',
    )
  }
  return folder
}

/** The user's folder for files that can be created again. */
function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME
  try {
    return join(homedir(), '.cache')
  } catch {
    throw new Error(
      'recordhub finds no home folder. Set XDG_CACHE_HOME to a folder that this user owns and can write to.',
    )
  }
}

/** Runs the program, or the file that the program passed to `fork`, which starts this executable again. */
function run(folder) {
  const file = process.argv.findIndex((one) => dirname(one) === folder)
  if (file > 0) process.argv.splice(1, file - 1)
  createRequire(join(folder, 'main.js'))(file > 0 ? process.argv[1] : './main.js')
}

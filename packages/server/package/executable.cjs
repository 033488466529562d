/**
 * The first code of the executable, which contains Node.js and the files of the package. They are unpacked into the
 * user's cache folder once per version, because threads and the page need files (decision 23).
 */
'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, join } = require('node:path')
const { getAssetKeys, getRawAsset } = require('node:sea')

const { XDG_CACHE_HOME } = process.env

try {
  const folder = unpack(join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'recordhub'))
  run(join(folder, 'dist'))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** @returns the folder of the unpacked files. Concurrent calls are safe: it is renamed when it is complete. */
function unpack(cache) {
  const folder = join(cache, hashAssets())
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

/** A name for the files of this executable. */
function hashAssets() {
  const hash = createHash('sha256')
  for (const key of getAssetKeys()) hash.update(`${key}\n`).update(new Uint8Array(getRawAsset(key)))
  return hash.digest('hex').slice(0, 16)
}

/** Runs the program, or the file that the program passed to `fork`, which starts this executable again. */
function run(folder) {
  const file = process.argv.findIndex((one) => dirname(one) === folder)
  if (file > 0) process.argv.splice(1, file - 1)
  createRequire(join(folder, 'main.js'))(file > 0 ? process.argv[1] : './main.js')
}

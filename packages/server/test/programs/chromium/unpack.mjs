/** Creates `chromium`, and `al2023/lib` with libraries that a machine without a desktop may not have. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import chromium, { inflate } from '@sparticuz/chromium'

const program = await chromium.executablePath()
const packed = join(import.meta.dirname, 'node_modules/@sparticuz/chromium/bin')
const libraries = join(await inflate(join(packed, 'al2023.tar.br')), 'lib')
// The package contains Chromium for only one platform, so this fails on any other.
execFileSync(program, ['--version'], { env: { ...process.env, LD_LIBRARY_PATH: libraries } })

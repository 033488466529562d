/** Leaves `chromium`, with the libraries of `al2023/lib` that a machine without a desktop may not have. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import chromium, { inflate } from '@sparticuz/chromium'

const program = await chromium.executablePath()
const packed = join(import.meta.dirname, 'node_modules/@sparticuz/chromium/bin')
const libraries = join(await inflate(join(packed, 'al2023.tar.br')), 'lib')
// The package has Chromium for one platform only.
execFileSync(program, ['--version'], { env: { ...process.env, LD_LIBRARY_PATH: libraries } })

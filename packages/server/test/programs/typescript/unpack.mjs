/** Creates `tsc`, and beside it the declarations of JavaScript's own objects, from this platform's package. */
import { existsSync, readdirSync, renameSync } from 'node:fs'

const system = `${process.platform}-${process.arch}`
const library = `node_modules/@typescript/typescript-${system}/lib`
if (!existsSync(library)) {
  // npm ignores optional packages that it cannot fetch.
  throw new Error(`npm cannot reach its registry, or it has no @typescript/typescript-${system}`)
}
for (const file of readdirSync(library)) renameSync(`${library}/${file}`, file)

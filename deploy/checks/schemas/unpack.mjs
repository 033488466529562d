/** Moves the installed packages to where `validate.mjs` finds them: `node_modules` itself is deleted afterwards. */
import { cpSync, mkdirSync, renameSync } from 'node:fs'

mkdirSync('schemas')
renameSync('node_modules', 'schemas/node_modules')
cpSync('validate.mjs', 'schemas/validate.mjs')
mkdirSync('node_modules')

/** Creates `site/node_modules`, from which the docs site is built. */
import { mkdirSync, renameSync } from 'node:fs'

mkdirSync('site')
renameSync('node_modules', 'site/node_modules')
// The caller deletes it.
mkdirSync('node_modules')

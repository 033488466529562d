/** The location of tests that a helper registers: node:test reports the place of the call in the helper. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getCallSites } from 'node:util'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PREFIX = 'at:'
/** More than helpers call each other. */
const FRAMES = 12

/** Tags for `test`, from which the runner takes the file and the line of the test. node:test makes them lower-case. */
export function locationTags(): string[] {
  const site = getCallSites(FRAMES).find(({ scriptName }) => scriptName.endsWith('.test.ts'))
  if (!site) return []
  return [`${PREFIX}${relative(ROOT, fileURLToPath(site.scriptName))}:${site.lineNumber}`]
}

/** `packages/…/x.test.ts:12` from the tags of a test; null if they do not have it. */
export function readLocation(tags: readonly string[] = []): string | null {
  return tags.find((tag) => tag.startsWith(PREFIX))?.slice(PREFIX.length) ?? null
}

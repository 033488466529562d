import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('../../../../../docs/platform-guide/', import.meta.url)

/** The sections of the guide as they stand in the repository, in their order. */
export function readGuide(): string[] {
  const names = readdirSync(FOLDER).filter((name) => /^\d.*\.md$/.test(name))
  return names.toSorted().map((name) => readFileSync(new URL(name, FOLDER), 'utf8'))
}

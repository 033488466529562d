import type { PlatformDefinition, PlatformModule } from './platform.ts'
import { findTextIssue, isHeaderValue } from './text.ts'

const MIN_KEY_LENGTH = 16

/**
 * Validates a definition, so that a mistake is reported when the platform starts and not by the hub.
 * @throws Error that names the mistake.
 */
export function validateDefinition(definition: PlatformDefinition): void {
  const { name, title, description = '', modules } = definition
  requireText(name, 'The name of the platform')
  requireText(title, `The title of ${name}`)
  rejectIssue(description, `The description of ${name}`)
  const keys = [definition.sourceKey].flat()
  if (keys.length === 0) throw new Error(`${name} needs a source key.`)
  for (const key of keys) validateKey(key, name)
  for (const module of modules) validateModule(module)
  const duplicate = findDuplicate(modules.map(({ recordType }) => recordType))
  if (duplicate !== undefined) {
    throw new Error(`Two modules of ${name} have the record type "${duplicate}".`)
  }
}

function validateKey(key: unknown, platform: string): void {
  if (typeof key !== 'string' || key === '') {
    throw new Error(`The source key of ${platform} is missing.`)
  }
  if (key.length < MIN_KEY_LENGTH) {
    throw new Error(`The source key of ${platform} is shorter than ${MIN_KEY_LENGTH} characters.`)
  }
  if (!isHeaderValue(key)) {
    throw new Error(
      `The source key of ${platform} must be printable ASCII without leading or trailing spaces.`,
    )
  }
}

function validateModule(module: PlatformModule): void {
  const { name, recordType, description = '', fields, records, pages } = module
  requireText(recordType, `The record type of the module "${name}"`)
  requireText(name, `The name of the module "${recordType}"`)
  rejectIssue(description, `The description of the module ${name}`)
  if (recordType === '.' || recordType === '..') {
    throw new Error(`The record type "${recordType}" of ${name} would change the path.`)
  }
  for (const { key } of fields) requireText(key, `A field key of the module ${name}`)
  const duplicate = findDuplicate(fields.map(({ key }) => key))
  if (duplicate !== undefined) {
    throw new Error(`The module ${name} has two fields with the key "${duplicate}".`)
  }
  if ((records === undefined) === (pages === undefined)) {
    throw new Error(`The module ${name} needs either records or pages.`)
  }
}

function requireText(text: unknown, name: string): void {
  if (typeof text !== 'string' || text.trim() === '') throw new Error(`${name} is missing.`)
  rejectIssue(text, name)
}

function rejectIssue(text: string, name: string): void {
  const issue = findTextIssue(text)
  if (issue !== null) throw new Error(`${name} ${issue}.`)
}

function findDuplicate(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index)
}

import type { PlatformDefinition, PlatformModule } from './platform.ts'
import { findTextFault, isHeaderValue } from './text.ts'

const SHORTEST_KEY = 16

/**
 * Checks a definition, so that a mistake shows when the platform starts and not in the hub.
 * @throws Error that names what is wrong.
 */
export function checkPlatform(definition: PlatformDefinition): void {
  const { name, title, description = '', modules } = definition
  requireText(name, 'The name of the platform')
  requireText(title, `The title of ${name}`)
  refuseFault(description, `The description of ${name}`)
  const keys = [definition.sourceKey].flat()
  if (keys.length === 0) throw new Error(`${name} needs a source key.`)
  for (const key of keys) checkKey(key, name)
  for (const module of modules) checkModule(module)
  const twice = findDuplicate(modules.map(({ recordType }) => recordType))
  if (twice !== undefined) {
    throw new Error(`Two modules of ${name} have the record type "${twice}".`)
  }
}

function checkKey(key: unknown, platform: string): void {
  if (typeof key !== 'string' || key === '') {
    throw new Error(`The source key of ${platform} is missing.`)
  }
  if (key.length < SHORTEST_KEY) {
    throw new Error(`The source key of ${platform} is shorter than ${SHORTEST_KEY} characters.`)
  }
  if (!isHeaderValue(key)) {
    throw new Error(
      `The source key of ${platform} must be printable ASCII without spaces at its ends.`,
    )
  }
}

function checkModule(module: PlatformModule): void {
  const { name, recordType, description = '', fields, records, pages } = module
  requireText(recordType, `The record type of the module "${name}"`)
  requireText(name, `The name of the module "${recordType}"`)
  refuseFault(description, `The description of the module ${name}`)
  if (recordType === '.' || recordType === '..') {
    throw new Error(`The record type "${recordType}" of ${name} would change the path.`)
  }
  for (const { key } of fields) requireText(key, `A field's key of the module ${name}`)
  const twice = findDuplicate(fields.map(({ key }) => key))
  if (twice !== undefined) throw new Error(`The module ${name} names the field "${twice}" twice.`)
  if ((records === undefined) === (pages === undefined)) {
    throw new Error(`The module ${name} needs either records or pages.`)
  }
}

function requireText(text: unknown, what: string): void {
  if (typeof text !== 'string' || text.trim() === '') throw new Error(`${what} is missing.`)
  refuseFault(text, what)
}

function refuseFault(text: string, what: string): void {
  const fault = findTextFault(text)
  if (fault !== null) throw new Error(`${what} ${fault}.`)
}

function findDuplicate(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index)
}

/** Spreads records over the modules of many platforms: the first module has a tenth of them, the others equally many. */
import { type ModuleRef, platformNames, recordTypes } from './platforms.ts'

export type Spread = { records: number; platforms: number; modules: number }

/** The numbers of the records of a module, from `first` to the one before `end`. */
export function rangeOfModule(
  { platform_name, record_type }: ModuleRef,
  { records, platforms, modules }: Spread,
): { first: number; end: number } {
  const platform = platformNames(platforms).indexOf(platform_name)
  const module = platform * modules + recordTypes(modules).indexOf(record_type)
  const large = Math.floor(records / 10)
  if (module === 0) return { first: 0, end: large }
  const share = (records - large) / (platforms * modules - 1)
  const boundary = (index: number) => large + Math.round((index - 1) * share)
  return { first: boundary(module), end: boundary(module + 1) }
}

/** A report for a terminal. */
import type { CheckedEndpoint, ConformanceReport, Finding } from '@recordhub/protocol'

const MARKS = { error: 'ERROR', warning: 'warning', note: 'note' } as const

export function endpointInText(checked: CheckedEndpoint): string {
  const lines = [
    `${checked.title}${figuresInWords(checked)}`,
    ...checked.passed.map((words) => `  ok       ${words}`),
    ...checked.findings.flatMap(findingInText),
  ]
  return `${lines.join('\n')}\n`
}

export function verdictOf({ reached, success, complete }: ConformanceReport): string {
  if (!reached) return 'The platform could not be reached.'
  if (!success) return 'The platform does not conform yet.'
  return complete ? 'The platform conforms.' : 'The platform conforms, as far as it was looked at.'
}

export function countsInWords({ errors, warnings, notes }: ConformanceReport): string {
  const counted = [
    [errors, 'error', 'errors'],
    [warnings, 'warning', 'warnings'],
    [notes, 'note', 'notes'],
  ] as const
  return counted.map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(', ')
}

/** What was read: ", 1,200 records, 340 kB in 1.2 s (1,000 a second)"; empty where nothing was. */
export function figuresInWords({ records, bytes, took_ms }: CheckedEndpoint): string {
  const rate =
    records !== null && took_ms !== null && took_ms >= 1000 ? records / (took_ms / 1000) : null
  const words = [
    records === null ? '' : `${numberInWords(records)} ${records === 1 ? 'record' : 'records'}`,
    bytes === null ? '' : bytesInWords(bytes),
    took_ms === null ? '' : took_ms < 1000 ? `${took_ms} ms` : `${(took_ms / 1000).toFixed(1)} s`,
    rate === null ? '' : `${numberInWords(Math.round(rate))} a second`,
  ]
  const told = words.filter((word) => word !== '')
  return told.length === 0 ? '' : `: ${told.join(', ')}`
}

/** "12 times: record 4 (E-4) a number; …"; empty for what was met once and nowhere in particular. */
export function placesInWords({ count, examples }: Finding): string {
  const places = examples.map(({ element, reference, found }) =>
    [
      element === null ? '' : `no. ${element}`,
      reference === null ? '' : `(${reference})`,
      found === '' ? '' : found,
    ]
      .filter((part) => part !== '')
      .join(' '),
  )
  const times =
    count > Math.max(examples.length, 1) ? `${numberInWords(count)} times, such as ` : ''
  return places.length === 0
    ? count > 1
      ? `${numberInWords(count)} times`
      : ''
    : times + places.join('; ')
}

function findingInText(finding: Finding): string[] {
  const { severity, message, advice, rule, section } = finding
  const indent = ' '.repeat(11)
  const places = placesInWords(finding)
  return [
    `  ${MARKS[severity].padEnd(8)} ${message} [${rule}, specification ${section}]`,
    ...(places === '' ? [] : [`${indent}${places}`]),
    ...(advice === '' ? [] : [`${indent}→ ${advice}`]),
  ]
}

function numberInWords(value: number): string {
  return value.toLocaleString('en-US')
}

function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}

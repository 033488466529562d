/** Records whose values are easily corrupted in transit, and a manifest with their fields. */
import type { StoredRecord } from '@recordhub/protocol'

export type Row = Pick<StoredRecord, 'record_type' | 'reference_number' | 'full_name' | 'data'>

export const RECORD_TYPE = 'employee'

const FIELDS = [
  { key: 'job_title', label: 'Job title', type: 'string', required: true },
  { key: 'department', label: 'Department', type: 'string', required: false },
  { key: 'updated_at', label: 'Updated', type: 'string', required: false },
  { key: 'salary', label: 'Salary', type: 'number', required: false },
  { key: 'is_away', label: 'Away', type: 'boolean', required: false },
  { key: 'detail', label: 'Detail', type: 'json', required: false },
]
const TEXTS = [
  null,
  '',
  ' Zoë Łukasik ',
  '漢字 🎉 e\u0301',
  'a "quoted" \\ line\r\n and\ttab',
  '</script>&amp;',
  '\u0000\u2028\u2029\u007f\ufeff',
]
const NUMBERS = [null, 0, -0.5, 1.25, 9_007_199_254_740_991, 1e21, 3]
const DETAILS = [null, {}, [], { a: { b: null } }, [1, null, 'x', {}, []], 'text', false]

export function makeRows(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => ({
    record_type: RECORD_TYPE,
    reference_number: `E-${index} é/%&?`,
    full_name: `Number ${index} Ångström`,
    data: {
      job_title: `Job ${index}`,
      department: pick(TEXTS, index),
      updated_at: '2026-11-21T07:30:00Z',
      salary: pick(NUMBERS, index),
      is_away: index % 3 === 0 ? null : index % 2 === 0,
      detail: pick(DETAILS, index),
    },
  }))
}

/** The content of `records.ndjson`. U+2028 and U+2029 are escaped, because Node.js treats them as line breaks. */
export function writeRows(rows: Row[]): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`
  return rows
    .map((row) => `${JSON.stringify(row).replaceAll(/[\u2028\u2029]/g, escaped)}\n`)
    .join('')
}

/** The manifest of the guide with another name and the fields of these records. */
export function nameManifest(text: string, platform_name: string): string {
  const manifest: { modules: object[] } = JSON.parse(text)
  const modules = manifest.modules.map((module) => ({ ...module, fields: FIELDS }))
  return JSON.stringify({ ...manifest, platform_name, modules })
}

function pick<Value>(values: readonly Value[], index: number): Value | null {
  return values[index % values.length] ?? null
}

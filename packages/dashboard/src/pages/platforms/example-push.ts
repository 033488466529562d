import { HUB_KEY_HEADER, type Module, RECEIVER_PATH } from '@recordhub/protocol'

const MOST_FIELDS = 6

/** A command of a shell that pushes a record of a module with its own fields. */
export function examplePush(
  { module_name, record_type, fields }: Module,
  { hubUrl, hubApiKey }: { hubUrl: string; hubApiKey: string | null },
): string {
  const keys = fields.map((field) => field.key).slice(0, MOST_FIELDS)
  const body = {
    module_name,
    record_type,
    reference_number: 'TEST-1',
    full_name: 'Ann Example',
    data: Object.fromEntries(keys.map((key) => [key, exampleValue(key)])),
  }
  return [
    `curl -X POST ${quote(`${hubUrl}${RECEIVER_PATH}`)}`,
    `-H 'Accept: application/json'`,
    `-H 'Content-Type: application/json'`,
    `-H ${quote(`${HUB_KEY_HEADER}: ${hubApiKey ?? '<HUB_API_KEY>'}`)}`,
    `-d ${quote(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ')
}

function exampleValue(key: string): string {
  if (key === 'reference_number') return 'TEST-1'
  return /_(at|on)$/.test(key) ? '2026-11-21T07:30:00Z' : 'example'
}

/** As one word of a shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The documents that are generated from tables in the code. `npm run docs` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { RULES } from '@recordhub/platform-checker'
import { pushCommand } from '@recordhub/protocol/push-command'
import {
  MAX_PUSH_BACKOFF_SECONDS,
  PUSH_RETRY_RULES,
  type PushRetryRule,
  SERVER_ERROR_RULE,
} from '@recordhub/protocol/push-retry'
import {
  describeSettings,
  flagOf,
  SECRET_SETTINGS,
  STORABLE_SETTINGS,
} from '../src/config/settings.ts'
import { FIELD_TYPES } from '../src/domain/record/field-types.ts'
import { ERROR_CODES } from '../src/errors.ts'

const ROOT = new URL('../../../', import.meta.url)
const README = new URL('README.md', ROOT)
const TUNNEL_HEADER = 'ngrok-skip-browser-warning'

/** Returns the content of each generated file. */
export function makeDocuments(): Map<URL, string> {
  return new Map([
    [new URL('docs/configuration.md', ROOT), configuration()],
    [new URL('docs/errors.md', ROOT), errors()],
    [new URL('docs/conformance.md', ROOT), conformance()],
    [new URL('docs/platform-guide/reference.md', ROOT), guideReference()],
    [README, readme(readFileSync(README, 'utf8'))],
  ])
}

function configuration(): string {
  const rows = describeSettings().map(
    ({ name, default: value, help }) => `| \`${name}\` | ${help} | ${cell(value)} |`,
  )
  return `# Configuration

A setting comes from a flag, otherwise from the environment, otherwise from the file \`.env\` in the working
directory. The flag is the name in lower case, with hyphens and without \`HUB_\`: \`--${flagOf('HUB_DATA_DIR')}\` sets \`HUB_DATA_DIR\`.
An empty value counts as not set. The hub does not start with an invalid setting, and prints its name.

An admin can also set ${STORABLE_SETTINGS.map((name) => `\`${name}\``).join(', ')} on the page
(*Settings*) or with \`PATCH /api/v1/settings\`, after entering the password again. Such a value is stored in the database and
applies on all nodes within five seconds, without a restart. A flag or variable takes precedence: the page shows the setting as
fixed. Once the flag or variable is removed and the hub restarted, the stored value applies again.

| setting | description | default |
|---|---|---|
${rows.join('\n')}

A secret can be in a file of one line instead: \`HUB_SECRET_FILE\`, in the environment or in \`.env\`, is the path of
a file that contains \`HUB_SECRET\`. The same applies to
${SECRET_SETTINGS.filter((name) => name !== 'HUB_SECRET')
  .map((name) => `\`${name}\``)
  .join(', ')}.

\`NODE_EXTRA_CA_CERTS\`, a variable of Node.js, is the path of a file with additional certificate authorities for
requests to platforms.
`
}

function errors(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${cell(message)} |`,
  )
  return `# Errors

The body of an error response is JSON: \`{"success": false, "code": "…", "message": "…", "request_id": "…"}\`. If
members of the request are invalid, \`errors\` lists them: \`{"data": ["must be an object"]}\`. The log of the hub
contains the \`request_id\` too. Programs should use the code, because messages may change.

A 401 response has \`WWW-Authenticate\`, which names the credentials that the path accepts: \`Bearer\` (a token, in
\`/api/v1\`; with \`error="invalid_token"\` if one was sent), \`Basic\` (a token as the password, only for the
[Atom feed](alerts.md#atom-feed) of alerts), \`ApiKey\` (the hub API key, at the receiver) or
\`Cookie\` (the session of an operator). A 405 response has \`Allow\`. A 429 or 503 response has \`Retry-After\`.

Errors of a platform also appear in the response of a connection test, in the tasks of a pull and in the activity. Their
status is that of a request that needs a response from the platform.

| code | status | message |
|---|---|---|
${rows.join('\n')}
`
}

function conformance(): string {
  const sections = Map.groupBy(Object.entries(RULES), ([, { section }]) => section)
  const tables = [...sections].map(([section, rules]) => {
    const rows = rules.map(
      ([rule, { severity, message }]) => `| \`${rule}\` | ${severity} | ${cell(message)} |`,
    )
    return `## ${section}

| rule | severity | problem |
|---|---|---|
${rows.join('\n')}`
  })
  return `# Rules of the conformance check

\`recordhub check-platform\` and *Check conformance* on the page check these rules. An error means that the hub rejects
something, that changes are lost, or that access is not protected. A warning is a deviation that the hub accepts. A note is
for information only. A failed request, such as \`platform_timed_out\`, is an error with its code from
[errors.md](errors.md). Each finding of a report also says what to do. The headings are those of the
[integration guide](platform-guide/README.md).

${tables.join('\n\n')}
`
}

/** The tables that the integration guide includes. */
function guideReference(): string {
  const row = (response: string, { retry, meaning }: PushRetryRule) =>
    `| ${response} | ${retry ? 'Keep the push and retry it' : 'Give up'} | ${cell(meaning)} |`
  const rules = Object.entries(PUSH_RETRY_RULES).toSorted(([, one], [, other]) => {
    return Number(one.retry) - Number(other.retry)
  })
  const types = FIELD_TYPES.map(
    ({ types, values }) => `| ${values} | ${[...types].map((type) => `\`${type}\``).join(', ')} |`,
  )
  return `# Reference tables of the integration guide

## A push with cURL

\`\`\`sh
${pushCommand({ hubUrl: 'https://hub.example.org', tunnelHeader: TUNNEL_HEADER, hubApiKey: null, data: '@record.json' })}
\`\`\`

## Responses and retries

| Response | What to do | Usual cause |
|---|---|---|
| 2xx | Nothing: the record is on disk | |
${rules.map(([status, rule]) => row(status, rule)).join('\n')}
${row('5xx', SERVER_ERROR_RULE)}
| none, or any other | Keep the push and retry it | A timeout, a closed connection, a wrong address |

Wait between retries for the number of seconds in \`Retry-After\`, or else 1, 2, 4 … up to ${MAX_PUSH_BACKOFF_SECONDS} seconds.

## Field types

| Values | \`type\` in the manifest |
|---|---|
${types.join('\n')}

The \`type\` is case-insensitive. Other types are allowed: their values are sorted like those of \`string\`, and not checked.
`
}

/** Returns the README with a generated example of a push. */
function readme(text: string): string {
  const data = {
    ...{ module_name: 'Employees', record_type: 'employee', reference_number: 'E-1' },
    ...{ full_name: 'Ann Example', data: { job_title: 'Engineer' } },
  }
  const hubUrl = 'http://127.0.0.1:8080'
  const command = pushCommand({ hubUrl, tunnelHeader: TUNNEL_HEADER, hubApiKey: null, data })
  return text.replace(/^curl -X POST [\s\S]*?(?=\n```$)/m, () => command)
}

function cell(text: string): string {
  return text === '' ? 'none' : text.replaceAll('|', '\\|').replaceAll('* * * * *', '`* * * * *`')
}

if (import.meta.main) for (const [file, text] of makeDocuments()) writeFileSync(file, text)

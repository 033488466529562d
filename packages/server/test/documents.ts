/** The documents that are made from tables in the code. `npm run docs` writes them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { RULES } from '@recordhub/platform-checker'
import { pushCommand } from '@recordhub/protocol/push-command'
import {
  MAX_PUSH_BACKOFF_SECONDS,
  PUSH_RETRY_RULES,
  type PushRetryRule,
  SERVER_ERROR_RULE,
} from '@recordhub/protocol/push-retry'
import { describeSettings, flagOf } from '../src/config.ts'
import { FIELD_TYPES } from '../src/domain/record/field-types.ts'
import { ERROR_CODES } from '../src/errors.ts'

const ROOT = new URL('../../../', import.meta.url)
const README = new URL('README.md', ROOT)
const TUNNEL_HEADER = 'ngrok-skip-browser-warning'

/** Content by the file's address. */
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
    ({ name, default: value, help }) =>
      `| \`${name}\` | \`--${flagOf(name)}\` | ${help} | ${cell(value)} |`,
  )
  return `# Configuration

A setting comes from a flag, else from the environment, else from a file \`.env\` in the working
directory. An empty value counts as not set. One that cannot be used stops the start with a line that
names it.

| setting | flag | what it does | default |
|---|---|---|---|
${rows.join('\n')}

\`NODE_EXTRA_CA_CERTS\`, a variable of Node.js, names a file of further certificate authorities for calls
to platforms.
`
}

function errors(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${cell(message)} |`,
  )
  return `# Errors

Every error is answered as JSON: \`{"success": false, "code": "…", "message": "…", "request_id": "…"}\`,
and where members of a request are wrong, \`errors\` names them: \`{"data": ["must be an object"]}\`. The
request id stands in the hub's log too. Programs go by the code; words may change.

A 401 response has \`WWW-Authenticate\`, which names the credentials that the path accepts: \`Bearer\` (a token, in
\`/api/v1\`; with \`error="invalid_token"\` where one was sent), \`ApiKey\` (the hub API key, at the receiver) or
\`Cookie\` (the session of an operator). A 405 response has \`Allow\`. A 429 or
503 response has \`Retry-After\`.

Errors about a platform also appear in the answer of a probe, in the tasks of a pull and in the
activity; the status is that of a request that could not go on without the platform.

| code | status | message |
|---|---|---|
${rows.join('\n')}
`
}

function conformance(): string {
  const rows = Object.entries(RULES).map(
    ([rule, { severity, section, message, advice }]) =>
      `| \`${rule}\` | ${severity} | ${section} | ${cell(message)} | ${cell(advice)} |`,
  )
  return `# Rules of the conformance check

What \`recordhub check-platform\` and *Check conformance* in the page look for. An error is refused by the
hub, loses changes, or lets strangers in; what the hub takes all the same is a warning; a note is only to be
known. What a call itself comes to, such as \`platform_timed_out\`, is an error under its code of
[errors.md](errors.md). The section is that of the interface specification.

| rule | severity | section | what is wrong | what to do |
|---|---|---|---|---|
${rows.join('\n')}
`
}

/** Tables that the integration guide includes. */
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

## A push by hand

\`\`\`sh
${pushCommand({ hubUrl: 'https://hub.example.org', tunnelHeader: TUNNEL_HEADER, hubApiKey: null, data: '@record.json' })}
\`\`\`

## Responses and retries

| Response | What to do | Usual cause |
|---|---|---|
| 2xx | Done: the record is on disk | |
${rules.map(([status, rule]) => row(status, rule)).join('\n')}
${row('5xx', SERVER_ERROR_RULE)}
| none, or any other | Keep the push and retry it | A timeout, a cut connection, a wrong address |

The pauses between retries are the seconds of \`Retry-After\`, or else 1, 2, 4 … up to ${MAX_PUSH_BACKOFF_SECONDS} seconds.

## Field types

| Values | \`type\` in the manifest |
|---|---|
${types.join('\n')}

Upper and lower case are the same. Another \`type\` is allowed: its values are sorted as those of \`string\`, and not checked.
`
}

/** The README with its example of a push, which is written by hand for the rest. */
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

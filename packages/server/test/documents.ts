/** The documents that are made from tables in the code. `npm run docs` writes them. */
import { writeFileSync } from 'node:fs'
import { describeSettings, flagOf } from '../src/config.ts'
import { RULES } from '../src/domain/conformance/rules.ts'
import { ERROR_CODES } from '../src/errors.ts'

const ROOT = new URL('../../../', import.meta.url)

/** Content by the file's address. */
export function makeDocuments(): Map<URL, string> {
  return new Map([
    [new URL('docs/configuration.md', ROOT), configuration()],
    [new URL('docs/errors.md', ROOT), errors()],
    [new URL('docs/conformance.md', ROOT), conformance()],
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

function cell(text: string): string {
  return text === '' ? 'none' : text.replaceAll('|', '\\|').replaceAll('* * * * *', '`* * * * *`')
}

if (import.meta.main) for (const [file, text] of makeDocuments()) writeFileSync(file, text)

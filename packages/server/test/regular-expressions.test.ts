/**
 * The regular expressions of all packages take a time that grows with the length of the text. `recheck` proves it for
 * most by their automaton and attacks the others; unlike checkers of nested repetitions only, it also finds `/x+$/`, which
 * begins again at each character. Only its JavaScript is installed, not its programs for each system (package.json).
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'rolldown/utils'
import { isDeep } from './helpers/time/tier.ts'

const { checkSync }: Pick<typeof import('recheck'), 'checkSync'> = createRequire(import.meta.url)(
  'recheck/lib/browser.js',
)

/** Expressions that were reviewed instead, with the reason. */
const REVIEWED: Readonly<Record<string, string>> = {
  ['/^```((?:nd)?json) example=(\\w+)\\n[\\s\\S]*?\\n```$/gm']: 'reads the guide of the hub itself',
  [String.raw`/^( *)\[([^\]]+)\]\(([\w./-]+)(?:#([\w-]+))?(?: "(\w+)")?\)$/gm`]:
    'reads the guide of the hub itself',
}

/** Expressions that take a tenth of a second to check, or more. */
const SLOW_TO_CHECK: readonly string[] = [
  String.raw`/(<[a-z][\w ,-]*>|\$(?:HUB|SOURCE)_API_KEY|\b[Rr]eplace (?:with )?[^\n*]+)/`,
  '/^( *)`([^`\\n]+)`:\\n\\n *```(\\w+)/gm',
  String.raw`/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[;|\t\r\n]|$)/y`,
  String.raw`/:60|\.\d{3}\d*[1-9]/`,
  String.raw`/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i`,
  "/^Unknown option '(.+?)'/s",
  String.raw`/\{(\w+)\}/g`,
  String.raw`/^[^"\\/[\]{}\p{Cc}]+$/u`,
  String.raw`/^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/`,
  String.raw`/^records\/([^/]+)(\/digest)?$/`,
  String.raw`/\/api(?:\/[^/]+){0,2}$/i`,
  '/^(E[A-Z_]+|ERR_SOCKET.*)$/',
  String.raw`/^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/`,
  String.raw`/-[\w-]{8}\.\w+(?:\.(?:br|gz))?$/`,
  String.raw`/^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i`,
  '/^ *(?=- )/',
  String.raw`/^(?:q|reference_number|filter\[.*)$/s`,
  '/^(Bearer|Basic) +([^ ].*)$/i',
  String.raw`/^\s*(?:insert into|update|delete from)\s+"?(\w+)/i`,
  '/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/',
  String.raw`/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g`,
  String.raw`/^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/`,
  String.raw`/^Threads:\s*(\d+)$/m`,
  String.raw`/^Max open files\s+(\d+)/m`,
  String.raw`/(?:^|,)\s*gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))\s*(?:[;,]|$)/i`,
  String.raw`/^(recordhub\.secret|.+\.sqlite(-wal|-shm|\.lock|\.state)?|backups)$/`,
  '/^(```(?:nd)?json) example=\\w+$/gm',
  String.raw`/^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9})\d*)?)?([Zz]|[+-]\d\d:\d\d)?)?$/`,
  String.raw`/^\d{4}-\d\d-\d\d(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?Z?)?$/`,
  '/rh[kt]_[0-9A-Za-z]{16,}/g',
  '/^(accept|host|connection|content-.*|transfer-encoding|x-platform-api-key)$/i',
  String.raw`/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/`,
  String.raw`/^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\+00(?::?00)?)?$/`,
  String.raw`/(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/`,
]

/** An attack ends after a number of steps. With its limits of time, a slow machine would find linear expressions slow. */
const CHECK = {
  ...{ randomSeed: 0, attackLimit: 20_000_000 },
  ...{ timeout: 600_000, incubationTimeout: 600_000, attackTimeout: 600_000 },
}

type Call = { callee: { type: string; name?: unknown }; arguments: readonly object[] }

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const EXPRESSIONS = new Map<string, { pattern: string; flags: string; path: string }>()
/** The files that create expressions from texts that are not constant. */
const DYNAMIC: string[] = []

for (const path of globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })) {
  if (/\.test\.tsx?$/.test(path)) continue
  const text = readFileSync(`${ROOT}${path}`, 'utf8')
  if (text.includes('/') || text.includes('RegExp')) findExpressions(path, text)
}

function findExpressions(path: string, text: string): void {
  const add = (pattern: string, flags: string) =>
    EXPRESSIONS.set(`/${pattern}/${flags}`, { pattern, flags, path })
  const addCall = ({ callee, arguments: given }: Call) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return
    const [pattern, flags = ''] = given.map((one) => ('value' in one ? one.value : null))
    if (typeof pattern === 'string' && typeof flags === 'string') add(pattern, flags)
    else DYNAMIC.push(path)
  }
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(node.regex.pattern, node.regex.flags)
    },
    NewExpression: addCall,
    CallExpression: addCall,
  }).visit(parseSync(path, text).program)
}

/** Whether an expression has no unlimited repetition. */
function isBounded(name: string): boolean {
  const { pattern = '' } = EXPRESSIONS.get(name) ?? {}
  const structure = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, '')
  return !/[*+]|\{\d+,\}/.test(structure)
}

/** Checks expressions, and returns those that may take longer. */
function findSuperlinear(names: Iterable<string>): string[] {
  return [...names].flatMap((name) => {
    const { pattern = '', flags = '', path } = EXPRESSIONS.get(name) ?? {}
    const found = checkSync(pattern, flags, CHECK)
    const details = found.status === 'vulnerable' ? found.complexity.summary : found.status
    return found.status === 'safe' ? [] : [`${name} in ${path}: ${details}`]
  })
}

test('the time of every regular expression grows with the length of the text', (t) => {
  const unlisted = new Set(EXPRESSIONS.keys())
  for (const name of [...SLOW_TO_CHECK, ...Object.keys(REVIEWED)]) unlisted.delete(name)
  const repeating = [...unlisted].filter((name) => !isBounded(name))
  t.diagnostic(
    `${EXPRESSIONS.size} expressions, of which ${repeating.length} are checked here, ` +
      `${SLOW_TO_CHECK.length} in the deep tier, and ${Object.keys(REVIEWED).length} were reviewed`,
  )
  assert.deepEqual(findSuperlinear(repeating), [])
})

if (isDeep) {
  test('the time of the expressions that are slow to check grows in the same way', () => {
    assert.deepEqual(findSuperlinear(SLOW_TO_CHECK), [])
  })
}

test('every listed expression exists, and none is made from a text that is not constant', () => {
  const listed = [...SLOW_TO_CHECK, ...Object.keys(REVIEWED)]
  assert.deepEqual(
    listed.filter((name) => !EXPRESSIONS.has(name)),
    [],
  )
  assert.deepEqual(DYNAMIC, [])
})

test('the check finds expressions that begin again at each character', () => {
  for (const pattern of ['/+$', '0+$', '^\\s*(.*?)\\s*$', '<([^>]*)>', '(?:a|a)+$']) {
    assert.equal(checkSync(pattern, '', CHECK).status, 'vulnerable', pattern)
  }
  // Of an expression that looks ahead it makes no automaton, and attacks it.
  const { status, checker } = checkSync('(?=b)?(?:a|a)+$', '', CHECK)
  assert.deepEqual([status, checker], ['vulnerable', 'fuzz'])
})

/** Generators of difficult input, made of the corpus and of random values. */
import { codePoint, fc } from '../helpers/random/fast-check.ts'
import { INVALID_UTF8, JSON_TEXTS, NUMBERS, STRINGS } from './corpus.ts'

type Arbitrary<Value> = fc.Arbitrary<Value>

/** A string of the corpus, two of them joined, or random code units. */
export const anyString: Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...STRINGS) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...STRINGS), fc.constantFrom(...STRINGS))
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.string({ unit: codePoint, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
      .map((units) => String.fromCharCode(...units)),
  },
)

/** A string that UTF-8 can encode. */
export const anyText: Arbitrary<string> = anyString.map((text) => text.toWellFormed())

/** A JSON string, written as `JSON.stringify`, PHP or Python write it, or with every character escaped. */
export const jsonString: Arbitrary<string> = fc
  .tuple(anyString, fc.integer({ min: 0, max: 5 }))
  .map(([text, style]) => writeString(text, style))

function writeString(text: string, style: number): string {
  const written = JSON.stringify(text)
  if (style === 3) return written.replaceAll('/', '\\/')
  const isEscaped = (code: number) => (style === 4 ? code > 0x7e : style === 5)
  if (style < 3 || text.length > 300) return written
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  const content = units.map((unit) =>
    isEscaped(unit)
      ? `\\u${unit.toString(16).padStart(4, '0')}`
      : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
  )
  return `"${content.join('')}"`
}

const space = fc.oneof(
  { weight: 9, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' ', '\n', '\t\r\n ') },
)

/** Valid JSON texts, with duplicate keys and numbers that doubles do not preserve. */
const { value, object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json' },
    { weight: 4, arbitrary: jsonString },
    { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
    { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}') },
    { weight: 2, arbitrary: tie('object') },
    { weight: 1, arbitrary: tie('array') },
  ),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }), space)
    .map(([items, gap]) => `[${gap}${items.join(`${gap},`)}]`),
  object: fc
    .tuple(
      fc.array(fc.tuple(jsonString, tie('value')), { maxLength: 5, depthIdentifier: 'json' }),
      space,
    )
    .map(
      ([members, gap]) =>
        `{${gap}${members.map(([key, one]) => `${key}${gap}:${gap}${one}`).join(`${gap},`)}}`,
    ),
}))

/** Nested beyond and up to the limit of 64 levels. */
const nested: Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(1, 2, 30, 58, 59, 60, 61, 62, 63, 64, 65, 66, 200, 1000),
    fc.boolean(),
    fc.constantFrom('1', '"a"', '[]', ''),
  )
  .map(([depth, isArray, inner]) =>
    isArray
      ? `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`
      : `${'{"a":'.repeat(depth)}${inner || '{}'}${'}'.repeat(depth)}`,
  )

export const jsonObject: Arbitrary<string> = object
export const jsonValue: Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: value },
  { weight: 1, arbitrary: nested },
)

/** Any text, valid JSON or not. */
export const anyJson: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...JSON_TEXTS.map(({ text }) => text)) },
  { weight: 2, arbitrary: jsonValue },
)

/** A JSON object with these members, each valid or of another type, missing, repeated, or beside unknown ones. */
export function objectWith(
  members: Readonly<Record<string, Arbitrary<string>>>,
): Arbitrary<string> {
  const known = Object.entries(members).map(([name, valid]) =>
    fc
      .tuple(fc.integer({ min: 0, max: 59 }), valid, jsonValue, valid)
      .map(([choice, text, wrong, second]): string[] => {
        const key = JSON.stringify(name)
        if (choice === 0) return []
        if (choice === 1) return [`${key}:${wrong}`]
        if (choice === 2) return [`${key}:${wrong}`, `${key}:${second}`]
        if (choice === 3)
          return [
            `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}":${text}`,
          ]
        return [`${key}:${text}`]
      }),
  )
  const unknown = fc.oneof(
    { weight: 8, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.tuple(jsonString, jsonValue).map(([key, text]) => [`${key}:${text}`]),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ['"__proto__":{"a":1}'],
        ['"constructor":{"prototype":{"a":1}}'],
        ['"toString":1'],
      ),
    },
  )
  return fc
    .tuple(fc.tuple(...known), unknown, space, fc.boolean())
    .map(([parts, extra, gap, isReversed]) => {
      const all = [...parts.flat(), ...extra]
      return `{${gap}${(isReversed ? all.reverse() : all).join(`${gap},`)}${gap}}`
    })
}

type Mutation = (bytes: Buffer) => Buffer

const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const splice = (bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer => {
  const start = Math.floor(at * (bytes.length + 1))
  return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removed)])
}
const SIGNS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  '0',
  '-',
  'e',
  ' ',
  '\n',
  '\u0000',
  '\ufeff',
  '\u00a0',
  '/',
  'null',
  '\\u',
  '\r\n',
]

const mutation: Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, fc.constantFrom(...SIGNS)).map(
    ([at, sign]): Mutation =>
      (bytes) =>
        splice(bytes, at, 0, Buffer.from(sign)),
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 8 })).map(
    ([at, count]): Mutation =>
      (bytes) =>
        splice(bytes, at, count, Buffer.alloc(0)),
  ),
  fc.tuple(position, fc.integer({ min: 0, max: 255 })).map(
    ([at, byte]): Mutation =>
      (bytes) =>
        splice(bytes, at, 1, Buffer.from([byte])),
  ),
  fc.tuple(position, fc.constantFrom(...INVALID_UTF8)).map(
    ([at, invalid]): Mutation =>
      (bytes) =>
        splice(bytes, at, 0, invalid),
  ),
  fc.tuple(position, position).map(
    ([at, from]): Mutation =>
      (bytes) =>
        splice(
          bytes,
          at,
          0,
          bytes.subarray(Math.floor(from * bytes.length), Math.floor(from * bytes.length) + 20),
        ),
  ),
  position.map(
    (at): Mutation =>
      (bytes) =>
        bytes.subarray(0, Math.floor(at * bytes.length)),
  ),
  fc.constantFrom<Mutation>(
    (bytes) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    (bytes) => Buffer.concat([bytes, bytes]),
    (bytes) => Buffer.concat([bytes, Buffer.from([0])]),
    (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
    (bytes) => Buffer.from(bytes.toString('utf8'), 'latin1'),
  ),
)

/** The bytes of a text, sometimes damaged. */
export function bytesOf(text: Arbitrary<string>, { damaged = 0.3 } = {}): Arbitrary<Buffer> {
  const weight = Math.round(damaged * 10)
  const mutations = fc.oneof(
    { weight: 10 - weight, arbitrary: fc.constant<Mutation[]>([]) },
    { weight, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
  )
  return fc.tuple(text, mutations).map(([one, changes]) => {
    const bytes = changes.reduce<Buffer>((before, change) => change(before), Buffer.from(one))
    // A failure prints the bytes as a text.
    const print = () => `Buffer.from(${JSON.stringify(bytes.toString('latin1'))}, 'latin1')`
    return Object.defineProperty(Buffer.from(bytes), fc.toStringMethod, { value: print })
  })
}

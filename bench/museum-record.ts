/** Generated records of museum objects: nested, about 2 KB of JSON, with the usual variety of values and scripts. */

/** Distinct records; the others differ from one of these in their reference number and name. */
const POOL = 4000
const WORDS = 20_000

const SYLLABLES = 'ka ro min tel va su per lo den mar is que al tor bri non gar eth pol lum'.split(
  ' ',
)
const ARTISTS = [
  'Élodie Fäßler',
  'Γιάννης Παπάς',
  '李小龍',
  'Ångström & Søn',
  'O’Brien',
  'José Peña',
]
const MATERIALS = ['oak', 'bronze', 'oil on canvas', 'faïence', 'silver gilt', 'リネン', 'bone']
const TYPES = {
  ...{ accession_number: 'string', object_name: 'string', description: 'text', made_by: 'array' },
  ...{ date_made: 'object', dimensions: 'array', materials: 'array', provenance: 'array' },
  ...{ inscriptions: 'array', location: 'object', images: 'array', exhibitions: 'array' },
  ...{ is_on_display: 'boolean', insurance_value: 'decimal', copyright: 'string' },
  ...{ last_modified: 'datetime' },
}

/** The fields of the manifest, with which the records agree. */
export const MUSEUM_FIELDS = Object.entries(TYPES).map(([key, type]) => ({
  ...{ key, label: key, type, required: false },
}))

let pool: string[] = []

/** A record as JSON. The same number always gives the same text. */
export function museumRecord(number: number): string {
  if (pool.length === 0) pool = Array.from({ length: POOL }, (_, at) => JSON.stringify(dataOf(at)))
  const digits = String(number).padStart(8, '0')
  return `{"reference_number":"OBJ-${digits}","full_name":"Object ${digits}","data":${pool[number % POOL]}}`
}

/** The body of a push; `{number}` stands for the number of the record in eight digits. */
export function museumPush(recordType: string, variant: number): string {
  return JSON.stringify({
    module_name: 'Items',
    record_type: recordType,
    reference_number: 'PUSHED-{number}',
    full_name: 'Object {number}',
    data: { ...dataOf(variant), accession_number: 'ACC.{number}' },
  })
}

function dataOf(seed: number) {
  const random = createRandom(seed + 1)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T | undefined => list[below(list.length)]
  // Frequent words are much more frequent than rare ones, as in every language.
  const word = () => wordOf(Math.floor(WORDS * random() ** 3))
  const words = (count: number) => Array.from({ length: count }, word).join(' ')
  const year = 1200 + below(800)
  return {
    accession_number: `${year}.${below(900)}.${below(90)}`,
    object_name: words(3),
    description: `${words(45)}. ${words(30)}.`,
    made_by: Array.from({ length: 1 + below(2) }, () => ({
      name: pick(ARTISTS),
      role: pick(['artist', 'workshop', 'attributed to', null]),
      born: year - 30,
      died: random() < 0.3 ? null : year + 40,
    })),
    date_made: { text: `c. ${year}–${year + 10}`, earliest: year, latest: year + 10 },
    dimensions: [
      { part: 'overall', height: below(3000) / 10, width: below(3000) / 10, unit: 'cm' },
      { part: 'frame', height: below(4000) / 10, width: below(4000) / 10, unit: 'cm' },
    ],
    materials: [pick(MATERIALS), pick(MATERIALS)],
    provenance: Array.from({ length: 3 }, () => ({
      owner: words(2),
      place: words(1),
      from: year + below(300),
      note: words(12),
    })),
    inscriptions: random() < 0.5 ? null : [{ text: `«${words(4)}» ☙`, script: 'Latin' }],
    location: {
      building: 'Main',
      room: `R${below(80)}`,
      shelf: { bay: below(20), level: below(6) },
    },
    images: Array.from({ length: 2 }, (_, at) => ({
      url: `https://images.example.org/objects/${seed}/${at}/full/full/0/default.jpg`,
      width: 2000 + below(4000),
      height: 1500 + below(4000),
    })),
    exhibitions: [{ title: words(5), year: 1950 + below(75), venue: words(2) }],
    is_on_display: random() < 0.2,
    insurance_value: below(1_000_000) / 100,
    copyright: null,
    last_modified: '2026-11-21T07:30:00Z',
  }
}

/** The word of a rank: three to five syllables that differ for every rank. */
function wordOf(rank: number): string {
  let rest = rank
  let word = ''
  do {
    word += SYLLABLES[rest % SYLLABLES.length]
    rest = Math.floor(rest / SYLLABLES.length)
  } while (rest > 0)
  return word
}

/** Mulberry32: uniform numbers from 0 to below 1. */
function createRandom(seed: number): () => number {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Real records: five modules of the 119th Congress if the folder beside the project contains them, otherwise
 * generated records with similar fields and the same counts.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SimulatedModule } from './platform.ts'

const FOLDER = fileURLToPath(new URL('../../../../../../shared/data/congress/', import.meta.url))

type GeneratedRecord = {
  reference_number: string
  full_name: string
  data: Record<string, unknown>
}

export const congress: { source: string; modules: SimulatedModule[] } = existsSync(FOLDER)
  ? { source: 'the real records of the 119th Congress', modules: readModules() }
  : {
      source: 'generated records, because ../shared/data/congress does not exist',
      modules: generateModules(),
    }

function readModules(): SimulatedModule[] {
  return ['legislators', 'terms', 'district_offices', 'committees', 'committee_members'].map(
    (record_type) => {
      const text = readFileSync(`${FOLDER}${record_type}.json`, 'utf8')
      return { ...toModule(record_type, JSON.parse(text)), records: splitArray(text) }
    },
  )
}

/** The elements of a JSON array of objects, with their exact text. */
function splitArray(text: string): string[] {
  const elements: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{' && ++depth === 1) start = index
    if (token === '}' && --depth === 0) elements.push(text.slice(start, index + 1))
  }
  return elements
}

function generateModules(): SimulatedModule[] {
  const names = ['Ángela Núñez', 'Bob "Bobby" O’Neil', '周 杰', 'D\\vid', 'Zoë 🏛']
  const generate = (
    record_type: string,
    count: number,
    createData: (index: number) => GeneratedRecord['data'],
  ) => {
    const records = Array.from({ length: count }, (_, index): GeneratedRecord => {
      const full_name = `${names[index % names.length]} ${index}`
      return { reference_number: `${record_type}-${index}`, full_name, data: createData(index) }
    })
    return toModule(record_type, records)
  }
  return [
    generate('legislators', 537, (index) => ({
      first_name: names[index % names.length],
      birthday: `19${10 + (index % 80)}-10-13`,
      district: index % 2 ? index : null,
      terms: index % 19,
    })),
    generate('terms', 2792, (index) => ({
      type: 'rep',
      start: '1993-01-05',
      ...(index % 3 ? { class: index % 4 } : { district: 1, url: 'http://example.org' }),
      ...(index % 5 ? {} : { address: '311 HART', phone: '202-224-3441' }),
    })),
    generate('district_offices', 1312, (index) => ({
      city: names[index % names.length],
      latitude: 34.181059 + index / 1000,
      longitude: -86.840631,
      ...(index % 2 ? { fax: '202-225-5587' } : { building: 'Carl Elliott Building' }),
    })),
    generate('committees', 230, (index) => ({
      type: 'house',
      jurisdiction: index % 2 ? null : 'jurisdiction over agriculture, '.repeat(60),
      parent: index % 3 ? null : `committees-${index}`,
    })),
    generate('committee_members', 3879, (index) => ({
      committee: `SSAF${index % 230}`,
      [index % 2 ? 'rank' : 'title']: index % 2 ? index : 'Chairman',
      ...(index % 7 ? {} : { start_date: null }),
    })),
  ]
}

/** The manifest contains all keys except the last, because a record may have keys that its manifest lacks. */
function toModule(record_type: string, records: GeneratedRecord[]): SimulatedModule {
  const keys = [...new Set(records.flatMap(({ data }) => Object.keys(data)))]
  return {
    module_name: record_type.replaceAll('_', ' '),
    record_type,
    keys: keys.slice(0, -1),
    records: records.map((record) => JSON.stringify(record)),
  }
}

/**
 * `npm run check:spreadsheet`: opens exports of a hub in LibreOffice and compares every cell. Exits with 1 if a
 * cell differs, with 2 if LibreOffice is not installed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOperatorClient } from '../helpers/process/operator.ts'
import { startPlatform } from '../helpers/process/platform.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'
import { CELLS } from './edge-case-cells.ts'
import { findOffice, openInOffice } from './office.ts'
import { type Cell, findDifferences } from './sheet-cells.ts'

/** Comma-separated, quoted, UTF-8, from the first line; every column is text. */
const AS_TEXTS = 'CSV:44,34,76,1,1/2/2/2/3/2'
/** The same with default columns, as for a user who opens the file. Formulas are evaluated. */
const AS_USUAL = 'CSV:44,34,76,1,,1033,false,true,false,false,false,0,true'
const KEYS = ['value', '=1+1']
const HEADER = ['hub_reference_number', ...KEYS]

const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }

async function main(): Promise<number> {
  const office = findOffice()
  if (!office) {
    process.stderr.write(
      'LibreOffice (soffice) is not installed: apt-get install libreoffice-calc\n',
    )
    return 2
  }
  const sandbox = createSandbox(t)
  const folder = join(sandbox.folder, 'sheets')
  mkdirSync(folder)
  const fetchExport = await startExportingHub(sandbox)
  const open = async (name: string, query: string, importAs?: string) => {
    const file = join(folder, name)
    writeFileSync(file, await fetchExport(query))
    return openInOffice(office, file, { folder, ...(importAs === undefined ? {} : { importAs }) })
  }

  const problems: string[] = []
  const check = (name: string, differences: string[]) => {
    process.stdout.write(`${name}: ${differences.length === 0 ? 'OK' : 'DIFFERENT'}\n`)
    problems.push(...differences.map((difference) => `${name}: ${difference}`))
  }
  const asXlsx = sheetOf('=1+1', (cell) => cell.xlsx)
  const asCsv = sheetOf("'=1+1", ({ csv }) => (csv === '' ? { value: '' } : { text: csv }))
  check('XLSX', findDifferences(asXlsx, await open('cells.xlsx', 'format=xlsx')))
  check('CSV', findDifferences(asCsv, await open('cells.csv', 'format=csv', AS_TEXTS)))
  const withBom = await open('with-bom.csv', 'format=csv&bom=true', AS_TEXTS)
  check('CSV with a byte order mark', findDifferences(asCsv, withBom))

  const usual = await open('usual.csv', 'format=csv&bom=true', AS_USUAL)
  check(
    'CSV with default columns: no formula runs',
    findDifferences(formulasOf(asCsv), formulasOf(usual)),
  )
  // Control: proves that LibreOffice evaluates formulas with these import options.
  const raw = await open('raw.csv', 'format=csv&raw=true', AS_USUAL)
  const hasRun = formulasOf(raw).some(([, cell]) => cell && 'value' in cell && cell.value === '2')
  check('CSV with raw=true: formulas run', hasRun ? [] : ['=1+1 was not evaluated to 2'])

  process.stderr.write(problems.map((problem) => `${problem}\n`).join(''))
  return problems.length === 0 ? 0 : 1
}

/** Starts a hub with one record per cell. @returns a function that fetches an export. */
async function startExportingHub(sandbox: ReturnType<typeof createSandbox>) {
  const records = CELLS.map(({ json }, at) => {
    const names = JSON.stringify({ reference_number: referenceOf(at), full_name: 'Any' })
    return `${names.slice(0, -1)},"data":{"value":${json},"=1+1":"x"}}`
  })
  const module = { record_type: 'cells', module_name: 'Cells', keys: KEYS, records }
  const platform = await startPlatform(t, { name: 'sheets', modules: [module] })
  const hub = await sandbox.startHub()
  const token = await sandbox.run(['token', 'create', '--name', 'check', '--role', 'admin'])
  const authorization = `Bearer ${token.stdout[0]}`
  const operator = createOperatorClient(hub.address, { authorization })
  await operator.registerModules(platform)
  const { pull } = await operator.pullAll()
  if (pull.counts.created !== CELLS.length) throw new Error('Not all records were pulled')
  return async (query: string) => {
    const columns = HEADER.map((column) => `columns=${encodeURIComponent(column)}`).join('&')
    const url = `${hub.address}/api/v1/records/export?${query}&${columns}`
    const response = await fetch(url, { headers: { authorization } })
    if (!response.ok)
      throw new Error(`The export returned ${response.status}: ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }
}

function sheetOf(lastHeader: string, toCell: (cell: (typeof CELLS)[number]) => Cell): Cell[][] {
  const header = [...HEADER.slice(0, -1), lastHeader].map((text) => ({ text }))
  const rows = CELLS.map((cell, at) => [{ text: referenceOf(at) }, toCell(cell), { text: 'x' }])
  return [header, ...rows]
}

/** Sorts in the order of the records. */
function referenceOf(at: number): string {
  return `cell ${String(at).padStart(3, '0')}`
}

/** The rows of the values that a spreadsheet would evaluate. */
function formulasOf(sheet: Cell[][]): Cell[][] {
  return sheet.filter((_, at) => CELLS[at - 1]?.isFormula)
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
}

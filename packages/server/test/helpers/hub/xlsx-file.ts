/** Reads the cells of an XLSX file. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { fromBuffer } from 'yauzl'

export type ReadCell = string | boolean | null | { number: string }

/** The sheets by name, in their order, each with its rows of cells. */
export async function openXlsx(file: Buffer): Promise<Map<string, ReadCell[][]>> {
  const parts = await unzip(file)
  const part = (path: string) => parts.get(path) ?? assert.fail(`${path} is missing`)
  part('_rels/.rels')
  const types = part('[Content_Types].xml')
  const targets = new Map(
    [...part('xl/_rels/workbook.xml.rels').matchAll(/Id="(\w+)"[^>]* Target="([^"]+)"/g)].map(
      ([, id = '', target = '']) => [id, `xl/${target}`],
    ),
  )
  const sheets = part('xl/workbook.xml').matchAll(/<sheet name="([^"]+)"[^>]* r:id="(\w+)"/g)
  return new Map(
    [...sheets].map(([, name = '', id = '']) => {
      const path = targets.get(id) ?? ''
      assert.ok(types.includes(`/${path}`))
      return [name, readSheet(part(path))]
    }),
  )
}

function unzip(file: Buffer): Promise<Map<string, string>> {
  const parts = new Map<string, string>()
  return new Promise((resolve, reject) => {
    fromBuffer(file, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      zip.on('error', reject)
      zip.on('end', () => resolve(parts))
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, (streamError, stream) => {
          if (streamError) return reject(streamError)
          text(stream).then((content) => {
            parts.set(entry.fileName, content)
            zip.readEntry()
          }, reject)
        }),
      )
      zip.readEntry()
    })
  })
}

function readSheet(xml: string): ReadCell[][] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them.
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/)
  return [...xml.matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(([, number, cells = ''], index) => {
    assert.equal(Number(number), index + 1)
    return [...cells.matchAll(/<c(?: s="\d+")?(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(
      ([, type, content = '']) => readCell(type, content),
    )
  })
}

function readCell(type: string | undefined, content: string): ReadCell {
  if (content === '') return null
  const value = content.replace(/<[^>]+>/g, '')
  if (type === 'b') return value === '1'
  if (type === undefined) return { number: value }
  assert.equal(type, 'inlineStr')
  return value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

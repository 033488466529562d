/** The baseline: `fetch` and `response.json()` of the document, without storing it. Prints its milliseconds. */
const url = process.argv[2] ?? ''
const begun = performance.now()
const response = await fetch(url)
const document: { records: unknown[] } = Object(await response.json())
process.stdout.write(
  JSON.stringify({ milliseconds: performance.now() - begun, records: document.records.length }),
)

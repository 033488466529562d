import { Button, Checkbox, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { RecordPage, StoredRecord } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { notify } from '../../components/confirm.tsx'
import { Dialog, DialogFooter } from '../../components/dialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import { textOfValue, writeLossless } from '../../lib/lossless-json.ts'
import { useUrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { totalLabel } from './list-footer.tsx'
import { EXPORT_FORMATS, EXPORT_STARTED, exportAddress, isFiltered } from './list-query.ts'

const FORMAT_HINTS: Record<string, string> = {
  csv: 'For spreadsheets and most programs. Text that a spreadsheet would run as a formula is escaped.',
  xlsx: 'For Excel and LibreOffice. Numbers with more than 15 digits are stored as text. Very long text is truncated.',
  ndjson: 'For programs: one complete record per line. Numbers keep their digits.',
  json: 'For programs: one document with complete records. Numbers keep their digits.',
}

/** Exports the filtered records as a file, which the browser streams to disk. */
export function ExportDialog(props: {
  isOpen: boolean
  onClose: () => void
  page: RecordPage
  visible: readonly Column[]
}) {
  const { isOpen, onClose, page, visible } = props
  const [state] = useUrlState()
  const [format, setFormat] = useState('csv')
  const [isAll, setAll] = useState(false)
  const [labels, setLabels] = useState(true)
  const [bom, setBom] = useState(true)
  const [gzip, setGzip] = useState(false)
  const isTable = format === 'csv' || format === 'xlsx'
  const chosen = isTable && !isAll ? visible : null
  const address = exportAddress(state, {
    format,
    columns: chosen?.map(({ exported }) => exported) ?? null,
    labels,
    bom,
    gzip,
  })
  const bytes = estimateBytes(format, page, chosen)
  const size =
    bytes === null ? '' : `, about ${formatBytes(bytes)}${gzip ? ' before compression' : ''}`
  const check = (label: string, checked: boolean, set: (checked: boolean) => void) => (
    <Checkbox
      label={label}
      checked={checked}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  )
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Export records">
      <Stack>
        <Text size="sm" role="status">
          {isFiltered(state) ? 'Filtered records: ' : 'All records: '}
          {totalLabel(page)}
          {size}.
        </Text>
        <Stack gap={6}>
          <SegmentedControl
            aria-label="Format"
            data={EXPORT_FORMATS}
            value={format}
            onChange={setFormat}
            fullWidth
            data-autofocus
          />
          <Text size="xs" c="dimmed">
            {FORMAT_HINTS[format]}
          </Text>
        </Stack>
        {isTable && (
          <Radio.Group
            label="Columns"
            value={isAll ? 'all' : 'shown'}
            onChange={(value) => setAll(value === 'all')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="shown" label={`Visible columns in their order (${visible.length})`} />
              <Radio value="all" label="All columns, with other values as JSON" />
            </Stack>
          </Radio.Group>
        )}
        <Stack gap={6}>
          {isTable && check('Field labels instead of keys in the first line', labels, setLabels)}
          {format === 'csv' &&
            check('Byte order mark, so that Excel reads accents correctly', bom, setBom)}
          {format !== 'xlsx' && check('Compress (.gz)', gzip, setGzip)}
        </Stack>
        <DialogFooter>
          <Button variant="subtle" color="gray" onClick={onClose}>
            Cancel
          </Button>
          <Button
            component="a"
            href={address}
            download
            leftSection={<IconDownload size={16} />}
            onClick={() => {
              notify(EXPORT_STARTED)
              onClose()
            }}
          >
            Download
          </Button>
        </DialogFooter>
      </Stack>
    </Dialog>
  )
}

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/** The size of an export before compression, from the records of the current page; null if it cannot be estimated. */
function estimateBytes(
  format: string,
  { records, estimated_total: total }: RecordPage,
  columns: readonly Column[] | null,
): number | null {
  if (records.length === 0) return total === 0 ? 0 : null
  if (format === 'xlsx') return null
  const isCsv = format === 'csv'
  const valuesOf = (record: StoredRecord) =>
    columns?.map((column) => column.valueOf(record)) ??
    Object.values({ ...record, ...record.data, data: '' })
  const lineOf = (record: StoredRecord) =>
    isCsv
      ? valuesOf(record)
          .map((value) => textOfValue(value) ?? '')
          .join(',')
      : writeLossless(record, '')
  const lineEnd = isCsv ? 2 : 1
  const sum = records.reduce((bytes, record) => bytes + bytesOf(lineOf(record)) + lineEnd, 0)
  return Math.round((sum / records.length) * total)
}

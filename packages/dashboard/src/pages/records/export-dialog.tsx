import { Button, Checkbox, Group, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { tell } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import type { UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { estimateBytes } from './export-estimate.ts'
import { wordsOfTotal } from './list-footer.tsx'
import { exportAddress, isNarrowed } from './list-query.ts'

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'xlsx', label: 'XLSX' },
  { value: 'ndjson', label: 'NDJSON' },
  { value: 'json', label: 'JSON' },
]
const ABOUT: Record<string, string> = {
  csv: 'For spreadsheets and most programs. Texts that a spreadsheet would run as formulas are made harmless.',
  xlsx: 'For Excel and LibreOffice. Numbers of more than 15 digits are texts; very long texts are cut.',
  ndjson: 'For programs: a record a line, whole, each number with the digits that were sent.',
  json: 'For programs: one document with whole records, each number with the digits that were sent.',
}

/** Takes what is filtered away as a file, which the browser writes to disk while it comes. */
export function ExportDialog({
  isOpen,
  onClose,
  state,
  page,
  visible,
}: {
  isOpen: boolean
  onClose: () => void
  state: UrlState
  page: RecordPage
  visible: readonly Column[]
}) {
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
  const bytes = estimateBytes(format, {
    records: page.records,
    total: page.estimated_total,
    columns: chosen,
  })
  const size =
    bytes === null ? '' : `, roughly ${formatBytes(bytes)}${gzip ? ' before it is compressed' : ''}`
  const check = (label: string, checked: boolean, set: (checked: boolean) => void) => (
    <Checkbox
      label={label}
      checked={checked}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  )
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Export records" centered size="md">
      <Stack>
        <Text size="sm" role="status">
          {isNarrowed(state) ? 'What is filtered: ' : 'The whole list: '}
          {wordsOfTotal(page)}
          {size}.
        </Text>
        <Stack gap={6}>
          <SegmentedControl
            aria-label="Format"
            data={FORMATS}
            value={format}
            onChange={setFormat}
            fullWidth
            data-autofocus
          />
          <Text size="xs" c="dimmed">
            {ABOUT[format]}
          </Text>
        </Stack>
        {isTable && (
          <Radio.Group
            label="Columns"
            value={isAll ? 'all' : 'shown'}
            onChange={(value) => setAll(value === 'all')}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="shown"
                label={`Those that are shown, in their order (${visible.length})`}
              />
              <Radio value="all" label="All, and what no column shows as JSON" />
            </Stack>
          </Radio.Group>
        )}
        <Stack gap={6}>
          {isTable &&
            check('The labels of the fields as the first line, not their keys', labels, setLabels)}
          {format === 'csv' &&
            check('Byte order mark, by which Excel reads accents rightly', bom, setBom)}
          {format !== 'xlsx' && check('Compress it (.gz)', gzip, setGzip)}
        </Stack>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            component="a"
            href={address}
            download
            leftSection={<IconDownload size={16} />}
            onClick={() => {
              tell('The export has begun. Your browser shows how far it is.')
              onClose()
            }}
          >
            Download
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

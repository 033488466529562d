import { Button, Checkbox, Group, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { RecordPage } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { notify } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { formatBytes } from '../../lib/format.ts'
import type { UrlState } from '../../lib/url-state.ts'
import type { Column } from './columns.ts'
import { estimateBytes } from './export-estimate.ts'
import { totalLabel } from './list-footer.tsx'
import { exportAddress, isFiltered } from './list-query.ts'
import { TEXTS } from './texts.tsx'

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'xlsx', label: 'XLSX' },
  { value: 'ndjson', label: 'NDJSON' },
  { value: 'json', label: 'JSON' },
]
const FORMAT_HINTS: Record<string, string> = {
  csv: TEXTS.csvHint,
  xlsx: TEXTS.xlsxHint,
  ndjson: TEXTS.ndjsonHint,
  json: TEXTS.jsonHint,
}

/** Exports the filtered records as a file, which the browser streams to disk. */
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
  const size = bytes === null ? '' : TEXTS.estimatedSize(formatBytes(bytes), gzip)
  const check = (label: string, checked: boolean, set: (checked: boolean) => void) => (
    <Checkbox
      label={label}
      checked={checked}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  )
  return (
    <Dialog opened={isOpen} onClose={onClose} title={TEXTS.exportRecords} centered size="md">
      <Stack>
        <Text size="sm" role="status">
          {isFiltered(state) ? TEXTS.filteredRecords : TEXTS.allRecords}
          {totalLabel(page)}
          {size}.
        </Text>
        <Stack gap={6}>
          <SegmentedControl
            aria-label={TEXTS.format}
            data={FORMATS}
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
            label={TEXTS.columns}
            value={isAll ? 'all' : 'shown'}
            onChange={(value) => setAll(value === 'all')}
          >
            <Stack gap={6} mt={6}>
              <Radio value="shown" label={TEXTS.visibleColumnsInOrder(visible.length)} />
              <Radio value="all" label={TEXTS.allColumns} />
            </Stack>
          </Radio.Group>
        )}
        <Stack gap={6}>
          {isTable && check(TEXTS.labelsInFirstLine, labels, setLabels)}
          {format === 'csv' && check(TEXTS.byteOrderMark, bom, setBom)}
          {format !== 'xlsx' && check(TEXTS.compressGz, gzip, setGzip)}
        </Stack>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {TEXTS.cancel}
          </Button>
          <Button
            component="a"
            href={address}
            download
            leftSection={<IconDownload size={16} />}
            onClick={() => {
              notify(TEXTS.exportStarted)
              onClose()
            }}
          >
            {TEXTS.download}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

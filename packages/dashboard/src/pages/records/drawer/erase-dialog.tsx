import { Alert, Button, Group, List, Radio, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { IconEraser } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { useTitles } from '../../../api/platforms.ts'
import {
  erasurePreviewQuery,
  RECORD_LISTS,
  recordPath,
  type ShownRecord,
} from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { session } from '../../../api/session.ts'
import { tell } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useStore } from '../../../lib/use-store.ts'

/** For admins: erases or anonymises a record for good, after showing what goes. */
export function EraseButton({ record, onErased }: { record: ShownRecord; onErased: () => void }) {
  const { operator } = useStore(session)
  const [isOpen, setOpen] = useState(false)
  if (operator?.role !== 'admin') return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<IconEraser size={16} />}
        onClick={() => setOpen(true)}
      >
        Erase…
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Erase this record for good?"
        size="lg"
        centered
        zIndex={400}
      >
        {isOpen && <EraseForm record={record} onClose={() => setOpen(false)} onErased={onErased} />}
      </Dialog>
    </>
  )
}

function EraseForm({
  record,
  onClose,
  onErased,
}: {
  record: ShownRecord
  onClose: () => void
  onErased: () => void
}) {
  const id = String(record.record_id)
  const client = useQueryClient()
  const [mode, setMode] = useState<ErasureMode>('erase')
  const [reason, setReason] = useState('')
  const [trouble, setTrouble] = useState('')
  const [isErasing, setErasing] = useState(false)
  const titles = useTitles()
  const preview = useQuery(erasurePreviewQuery(id))

  async function erase(): Promise<void> {
    setErasing(true)
    try {
      const body = { mode, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }
      await callHub<{ erasure: Erasure }>(`${recordPath(id)}/erase`, { method: 'POST', body })
      tell(mode === 'erase' ? 'The record is erased.' : 'The record is anonymised.')
      onClose()
      onErased()
      await client.invalidateQueries(RECORD_LISTS)
    } catch (error) {
      setTrouble(wordsOf(error))
    } finally {
      setErasing(false)
    }
  }

  const error = errorInPlaceOfData(preview)
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void preview.refetch()} />
  }
  if (!preview.data) return <Skeleton height={220} aria-label="Loading what would go" />
  const { erasure } = preview.data
  return (
    <Stack>
      <Text size="sm">
        {erasure.full_name || erasure.reference_number} ({erasure.reference_number},{' '}
        {erasure.module_name}, {titles.ofPlatform(erasure.platform_name)}). This cannot be taken
        back. What goes:
      </Text>
      <List size="sm">
        <List.Item>the record with all its values, also from search</List.Item>
        <List.Item>{formatCount(erasure.history_entries, 'change')} in its history</List.Item>
        <List.Item>
          {formatCount(erasure.rejected_pushes, 'rejected push', 'rejected pushes')} that name it
        </List.Item>
        <List.Item>
          {formatCount(erasure.activity_lines, 'line')} of the activity that name it, made silent
        </List.Item>
      </List>
      <Radio.Group
        label="How"
        value={mode}
        onChange={(value) => setMode(value === 'anonymise' ? 'anonymise' : 'erase')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="erase" label="Erase it: nothing is left of it" />
          <Radio
            value="anonymise"
            label="Anonymise it: an empty record stays, so that counts stay"
          />
        </Stack>
      </Radio.Group>
      <Alert color="yellow" variant="light" title="What the hub cannot erase">
        <List size="sm">
          {erasure.not_covered.map((words) => (
            <List.Item key={words}>{words}</List.Item>
          ))}
        </List>
      </Alert>
      <TextInput
        label="Reason (optional)"
        description="Kept in the audit. Put nothing into it that tells who the person is."
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {trouble && (
        <Alert color="red" variant="light" role="alert">
          {trouble}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red.9" loading={isErasing} onClick={() => void erase()}>
          {mode === 'erase' ? 'Erase for good' : 'Anonymise for good'}
        </Button>
      </Group>
    </Stack>
  )
}

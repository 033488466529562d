import { Alert, Button, Group, List, Radio, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { useTitles } from '../../../api/platforms.ts'
import {
  erasurePreviewQuery,
  RECORD_LISTS,
  recordPath,
  type ShownRecord,
} from '../../../api/records.ts'
import { errorInPlaceOfData } from '../../../api/retries.ts'
import { notify } from '../../../components/confirm.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount } from '../../../lib/format.ts'

/** Erases or anonymises a record permanently, after a preview of the deleted data. For admins. */
export function EraseDialog({
  record,
  isOpen,
  onClose,
  onErased,
}: {
  record: ShownRecord
  isOpen: boolean
  onClose: () => void
  onErased: () => void
}) {
  return (
    <Dialog opened={isOpen} onClose={onClose} title="Erase this record permanently?" size="lg">
      {isOpen && <EraseForm record={record} onClose={onClose} onErased={onErased} />}
    </Dialog>
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
  const [errorText, setErrorText] = useState('')
  const [isErasing, setErasing] = useState(false)
  const titles = useTitles()
  const preview = useQuery(erasurePreviewQuery(id))

  async function erase(): Promise<void> {
    setErasing(true)
    try {
      const body = { mode, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }
      await callHub<{ erasure: Erasure }>(`${recordPath(id)}/erase`, { method: 'POST', body })
      notify(mode === 'erase' ? 'The record was erased.' : 'The record was anonymised.')
      onClose()
      onErased()
      await client.invalidateQueries(RECORD_LISTS)
    } catch (error) {
      setErrorText(errorMessage(error))
    } finally {
      setErasing(false)
    }
  }

  const error = errorInPlaceOfData(preview)
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void preview.refetch()} />
  }
  if (!preview.data) return <Skeleton height={220} aria-label="Loading" />
  const { erasure } = preview.data
  return (
    <Stack>
      <Text size="sm">
        {erasure.full_name || erasure.reference_number} ({erasure.reference_number},{' '}
        {erasure.module_name}, {titles.ofPlatform(erasure.platform_name)}). This cannot be undone.
        This deletes:
      </Text>
      <List size="sm">
        <List.Item>The record with all its values, also from search</List.Item>
        <List.Item>
          {formatCount(erasure.history_entries, 'change', 'changes')} in its history
        </List.Item>
        <List.Item>
          {formatCount(erasure.rejected_pushes, 'rejected push', 'rejected pushes')} of this record
        </List.Item>
        <List.Item>
          {formatCount(erasure.activity_entries, 'log entry', 'log entries')} of this record
          (redacted)
        </List.Item>
      </List>
      <Radio.Group
        label="Method"
        value={mode}
        onChange={(value) => setMode(value === 'anonymise' ? 'anonymise' : 'erase')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="erase" label="Erase: the record is deleted" />
          <Radio
            value="anonymise"
            label="Anonymise: an empty record is kept, so that counts stay the same"
          />
        </Stack>
      </Radio.Group>
      <Alert color="yellow" variant="light" title="Not erased by the hub">
        <List size="sm">
          {erasure.not_covered.map((item) => (
            <List.Item key={item}>{item}</List.Item>
          ))}
        </List>
      </Alert>
      <TextInput
        label="Reason (optional)"
        description="Saved in the audit log. Do not enter personal data."
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {errorText && (
        <Alert color="red" variant="light" role="alert">
          {errorText}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red.9" loading={isErasing} onClick={() => void erase()}>
          {mode === 'erase' ? 'Erase permanently' : 'Anonymise permanently'}
        </Button>
      </Group>
    </Stack>
  )
}

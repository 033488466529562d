import { Alert, Button, Group, List, Radio, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { IconEraser } from '@tabler/icons-react'
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
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../texts.tsx'

/** Erases or anonymises a record permanently, after a preview of the deleted data. For admins. */
export function EraseButton({ record, onErased }: { record: ShownRecord; onErased: () => void }) {
  const isAdmin = useHasRole('admin')
  const [isOpen, setOpen] = useState(false)
  if (!isAdmin) return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<IconEraser size={16} />}
        onClick={() => setOpen(true)}
      >
        {TEXTS.erase}
      </Button>
      <Dialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={TEXTS.eraseTitle}
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
  const [errorText, setErrorText] = useState('')
  const [isErasing, setErasing] = useState(false)
  const titles = useTitles()
  const preview = useQuery(erasurePreviewQuery(id))

  async function erase(): Promise<void> {
    setErasing(true)
    try {
      const body = { mode, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) }
      await callHub<{ erasure: Erasure }>(`${recordPath(id)}/erase`, { method: 'POST', body })
      notify(mode === 'erase' ? TEXTS.recordWasErased : TEXTS.recordWasAnonymised)
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
  if (!preview.data) return <Skeleton height={220} aria-label={TEXTS.loading} />
  const { erasure } = preview.data
  return (
    <Stack>
      <Text size="sm">
        {TEXTS.eraseHint(
          erasure.full_name || erasure.reference_number,
          erasure.reference_number,
          erasure.module_name,
          titles.ofPlatform(erasure.platform_name),
        )}
      </Text>
      <List size="sm">
        <List.Item>{TEXTS.deletedRecord}</List.Item>
        <List.Item>
          {TEXTS.deletedHistory(formatCount(erasure.history_entries, 'change', 'changes'))}
        </List.Item>
        <List.Item>
          {TEXTS.deletedRejectedPushes(
            formatCount(erasure.rejected_pushes, 'rejected push', 'rejected pushes'),
          )}
        </List.Item>
        <List.Item>
          {TEXTS.redactedLogEntries(
            formatCount(erasure.activity_entries, 'log entry', 'log entries'),
          )}
        </List.Item>
      </List>
      <Radio.Group
        label={TEXTS.method}
        value={mode}
        onChange={(value) => setMode(value === 'anonymise' ? 'anonymise' : 'erase')}
      >
        <Stack gap={6} mt={6}>
          <Radio value="erase" label={TEXTS.eraseMethod} />
          <Radio value="anonymise" label={TEXTS.anonymiseMethod} />
        </Stack>
      </Radio.Group>
      <Alert color="yellow" variant="light" title={TEXTS.notErased}>
        <List size="sm">
          {erasure.not_covered.map((item) => (
            <List.Item key={item}>{item}</List.Item>
          ))}
        </List>
      </Alert>
      <TextInput
        label={TEXTS.reasonOptional}
        description={TEXTS.reasonOptionalDescription}
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
          {TEXTS.cancel}
        </Button>
        <Button color="red.9" loading={isErasing} onClick={() => void erase()}>
          {mode === 'erase' ? TEXTS.erasePermanently : TEXTS.anonymisePermanently}
        </Button>
      </Group>
    </Stack>
  )
}

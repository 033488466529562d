import { Alert, Button, List, Skeleton, Stack, Text, TextInput } from '@mantine/core'
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
import { notify } from '../../../components/confirm.tsx'
import { Dialog, DialogFooter } from '../../../components/dialog.tsx'
import { FormError } from '../../../components/form-error.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Losses } from '../../../components/losses.tsx'
import { OptionList } from '../../../components/option-list.tsx'
import { INCOMPLETE, TypedName } from '../../../components/typed-confirmation.tsx'

type EraseProps = {
  record: ShownRecord
  isOpen: boolean
  onClose: () => void
  onErased: () => void
}

/** Erases or anonymises a record permanently, after a preview of the deleted data. For admins. */
export function EraseDialog({ isOpen, ...props }: EraseProps) {
  return (
    <Dialog
      opened={isOpen}
      onClose={props.onClose}
      title="Erase this record permanently?"
      size="lg"
    >
      {isOpen && <EraseForm {...props} />}
    </Dialog>
  )
}

const METHODS = [
  { value: 'erase', label: 'Erase', text: 'The record is deleted.' },
  {
    value: 'anonymise',
    label: 'Anonymise',
    text: 'An empty record is kept, so that counts stay the same.',
  },
]

function EraseForm({ record, onClose, onErased }: Omit<EraseProps, 'isOpen'>) {
  const id = String(record.record_id)
  const client = useQueryClient()
  const [mode, setMode] = useState<ErasureMode>('erase')
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
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

  return (
    <Loaded query={preview} skeleton={<Skeleton height={220} aria-label="Loading" />}>
      {({ erasure }) => (
        <Stack>
          <Text size="sm">
            {erasure.full_name || erasure.reference_number} ({erasure.reference_number},{' '}
            {erasure.module_name}, {titles.ofPlatform(erasure.platform_name)}). This cannot be
            undone.
          </Text>
          <Losses
            lost={[
              ['The record with all its values, also from search', 1],
              ['Changes in its history', erasure.history_entries],
              ['Rejected pushes of this record', erasure.rejected_pushes],
              ['Log entries of this record, which are redacted', erasure.activity_entries],
            ]}
          />
          <OptionList
            label="Method"
            options={METHODS}
            value={mode}
            onChange={(value) => setMode(value === 'anonymise' ? 'anonymise' : 'erase')}
          />
          <Alert color="yellow" title="Not erased by the hub">
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
          <TypedName name={erasure.reference_number} typed={typed} setTyped={setTyped} />
          <FormError message={errorText} />
          <DialogFooter>
            <Button variant="subtle" color="gray" onClick={onClose}>
              Cancel
            </Button>
            <Button
              color="red.9"
              loading={isErasing}
              disabled={typed !== erasure.reference_number}
              title={typed === erasure.reference_number ? undefined : INCOMPLETE}
              onClick={() => void erase()}
            >
              {mode === 'erase' ? 'Erase permanently' : 'Anonymise permanently'}
            </Button>
          </DialogFooter>
        </Stack>
      )}
    </Loaded>
  )
}

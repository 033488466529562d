import { Button, Text } from '@mantine/core'
import type { ModuleRemovalPreview } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, notify } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { TEXTS } from '../../../texts.ts'
import { TypedConfirmation } from './typed-confirmation.tsx'

/** Deletes the records of an unregistered module. */
export function DeleteModuleRecords({
  platformId,
  recordType,
}: {
  platformId: number
  recordType: string
}) {
  const path = `/api/v1/platforms/${platformId}/modules/${encodeURIComponent(recordType)}/records`
  const [preview, setPreview] = useState<ModuleRemovalPreview | null>(null)
  const refreshLive = useRefreshLive()
  const openPreview = () =>
    attempt(async () => {
      setPreview((await callHub<{ removal: ModuleRemovalPreview }>(path)).removal)
    })
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => void openPreview()}>
        {TEXTS.deleteRecords}
      </Button>
      {preview && (
        <TypedConfirmation
          title={`Delete the records of ${recordType}?`}
          label="Type the record type to confirm"
          name={recordType}
          action={TEXTS.deleteRecords}
          onClose={() => setPreview(null)}
          onConfirm={async () => {
            await callHub(path, { method: 'DELETE', body: { record_type: recordType } })
            notify('The records are being deleted.')
            await refreshLive()
          }}
        >
          <Text size="sm">{`This deletes ${formatCount(preview.records, 'record')} with their history. They return only if the platform still has them and the module is registered again.`}</Text>
        </TypedConfirmation>
      )}
    </>
  )
}

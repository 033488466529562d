import { Button, Text } from '@mantine/core'
import type { ModuleRemovalPreview } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, tell } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { TypedConfirmation } from './typed-confirmation.tsx'

/** Deletes the records of a module that is not registered any more. */
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
  const ask = () =>
    attempt(async () => {
      setPreview((await callHub<{ removal: ModuleRemovalPreview }>(path)).removal)
    })
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => void ask()}>
        Delete its records
      </Button>
      {preview && (
        <TypedConfirmation
          title={`Delete the records of ${recordType}?`}
          what="the record type"
          name={recordType}
          action="Delete the records"
          onClose={() => setPreview(null)}
          onConfirm={async () => {
            await callHub(path, { method: 'DELETE', body: { record_type: recordType } })
            tell('The records are being deleted.')
            await refreshLive()
          }}
        >
          <Text size="sm">
            {formatCount(preview.records, 'record')} go, each with its history. They do not come
            back unless the platform still has them and the module is registered again.
          </Text>
        </TypedConfirmation>
      )}
    </>
  )
}

import { Accordion, Alert, Badge, Group, List, Stack, Text } from '@mantine/core'
import type { ManifestChange, PlatformDetails, PlatformModule } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { driftQuery } from '../../../api/platforms.ts'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../../../texts.ts'
import { type ChangeLabel, changeLabel } from './change-labels.ts'

const TONES: Readonly<Record<ChangeLabel['tone'], string>> = {
  added: 'green',
  removed: 'red',
  changed: 'blue',
}

type Changes = { changes: ManifestChange[]; modules: readonly PlatformModule[] }

/** The changes found by a refresh of the manifest. */
export function NewChanges({ onClose, ...found }: Changes & { onClose: () => void }) {
  const isChanged = found.changes.length > 0
  return (
    <Alert
      color={isChanged ? 'blue' : 'green'}
      role="status"
      withCloseButton
      closeButtonLabel={TEXTS.close}
      onClose={onClose}
      title={isChanged ? 'The manifest has changed' : 'No changes'}
    >
      {isChanged ? <ChangeList {...found} /> : 'The manifest is unchanged.'}
    </Alert>
  )
}

/** Earlier changes of the manifest, newest first. */
export function EarlierChanges({ platform: { id, modules } }: { platform: PlatformDetails }) {
  const drift = useQuery(driftQuery(id))
  const all = drift.data?.manifest_changes ?? []
  if (all.length === 0) return null
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="changes">
        <Accordion.Control>
          <Text size="sm" fw={600}>
            Manifest history
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack>
            {all.map(({ at, changes }) => (
              <div key={at}>
                <Text size="sm" fw={600} component="div">
                  <Time at={at} seconds />
                </Text>
                <ChangeList changes={changes} modules={modules} />
              </div>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

function ChangeList({ changes, modules }: Changes) {
  const titleOf = (recordType: string) =>
    modules.find((one) => one.record_type === recordType)?.module_name ?? recordType
  const labels = changes.map((change) => changeLabel(change, titleOf))
  return (
    <List listStyleType="none" spacing={6} mt={6} aria-label="Manifest changes">
      {labels.map(({ tone, subject, before, after }) => (
        <List.Item key={`${tone} ${subject}`}>
          <Group gap="xs" align="flex-start">
            <Badge color={TONES[tone]}>{tone}</Badge>
            <Text size="sm">{subject}</Text>
            {after !== null && (
              <Text size="sm" c="dimmed">
                <del>{before}</del> → {after}
              </Text>
            )}
          </Group>
        </List.Item>
      ))}
    </List>
  )
}

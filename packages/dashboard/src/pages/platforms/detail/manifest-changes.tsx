import { Accordion, Alert, Badge, Group, List, Stack, Text } from '@mantine/core'
import type { ManifestChange, PlatformDetails, PlatformModule } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { driftQuery } from '../../../api/platforms.ts'
import { Time } from '../../../components/time.tsx'
import { type ChangeWords, changeInWords } from './change-words.ts'

const TONES: Readonly<Record<ChangeWords['tone'], string>> = {
  added: 'green',
  removed: 'red',
  changed: 'blue',
}

/** What a refresh of the manifest has brought. */
export function FreshChanges({
  changes,
  modules,
  onClose,
}: {
  changes: ManifestChange[]
  modules: readonly PlatformModule[]
  onClose: () => void
}) {
  return (
    <Alert
      color={changes.length === 0 ? 'green' : 'blue'}
      variant="light"
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      title={changes.length === 0 ? 'Nothing has changed' : 'The manifest has changed'}
    >
      {changes.length === 0
        ? 'The manifest is as it was.'
        : changes.length > 0 && <ChangeList changes={changes} modules={modules} />}
    </Alert>
  )
}

/** The differences that were found before, newest first. */
export function EarlierChanges({ platform: { id, modules } }: { platform: PlatformDetails }) {
  const drift = useQuery(driftQuery(id))
  const all = drift.data?.manifest_changes ?? []
  if (all.length === 0) return null
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="changes">
        <Accordion.Control>
          <Text size="sm" fw={600}>
            How the manifest has changed
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

function ChangeList({
  changes,
  modules,
}: {
  changes: ManifestChange[]
  modules: readonly PlatformModule[]
}) {
  const titleOf = (recordType: string) =>
    modules.find((one) => one.record_type === recordType)?.module_name ?? recordType
  const told = changes.map((change) => changeInWords(change, titleOf))
  return (
    <List listStyleType="none" spacing={6} mt={6} aria-label="Changes of the manifest">
      {told.map(({ tone, what, before, after }) => (
        <List.Item key={`${tone} ${what}`}>
          <Group gap="xs" align="flex-start">
            <Badge variant="light" color={TONES[tone]} tt="none">
              {tone}
            </Badge>
            <Text size="sm">{what}</Text>
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

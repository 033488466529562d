import { Accordion, Anchor, Code, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { FoundRecord } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { useTitles } from '../../api/platforms.ts'
import { ValueView } from '../../components/value-view.tsx'
import { textOfValue } from '../../lib/exact-json.ts'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { FirstFew } from './first-few.tsx'
import { Lane } from './lane.tsx'
import type { PlatformLine, Lane as SearchedLane } from './search-lanes.ts'

/** What a platform found in its own data. */
export function PlatformLane({ lane, isOver }: { lane: SearchedLane; isOver: boolean }) {
  const { display_title, platform_name, line } = lane
  if (line === null) {
    return isOver ? (
      <Lane title={display_title} state="no answer" color="gray" />
    ) : (
      <Lane title={display_title} state="searching" color="blue" isSearching />
    )
  }
  const took = (
    <Text size="xs" c="dimmed">
      {formatDuration(line.took_ms)}
    </Text>
  )
  switch (line.outcome) {
    case 'no_endpoint':
      return <Lane title={display_title} state="no search endpoint" color="gray" />
    case 'failed':
      return (
        <Lane title={display_title} state="failed" color="red" aside={took}>
          <Text size="sm">{line.error?.message}</Text>
        </Lane>
      )
    case 'raw':
      return (
        <Lane title={display_title} state="unknown format" color="blue" aside={took}>
          <Text size="sm" mb="xs">
            The hub found no records in this response, so it is shown as the platform sent it.
          </Text>
          <ScrollArea.Autosize
            mah={280}
            viewportProps={{ tabIndex: 0, 'aria-label': `Answer of ${display_title}` }}
          >
            <Code block>{line.raw}</Code>
          </ScrollArea.Autosize>
        </Lane>
      )
    case 'found':
      return line.found === 0 ? (
        <Lane title={display_title} state="nothing found" color="gray" aside={took} />
      ) : (
        <Lane title={display_title} state={`${line.found} found`} color="green" aside={took}>
          <FoundRecords line={line} platform={platform_name} />
        </Lane>
      )
  }
}

function FoundRecords({ line, platform }: { line: PlatformLine; platform: string }) {
  const { records, found } = line
  const titles = useTitles()
  // What a platform finds need not have a name of its own.
  const numbered = records.map((record, place) => ({ record, number: String(place + 1) }))
  return (
    <Stack gap="xs">
      <FirstFew items={numbered}>
        {(shown) => (
          <Accordion variant="contained" multiple>
            {shown.map(({ record, number }) => (
              <Accordion.Item key={number} value={number}>
                <Accordion.Control>
                  <Group gap="sm" wrap="wrap">
                    <Text size="sm" fw={600} lineClamp={1}>
                      {titleOf(record)}
                    </Text>
                    <Text size="sm" c="dimmed" lineClamp={1}>
                      {[
                        record.reference_number,
                        record.record_type && titles.ofModule(platform, record.record_type),
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                    </Text>
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <ValueView value={record.data} />
                  {record.reference_number && (
                    <Anchor
                      fz="sm"
                      mt="xs"
                      display="inline-block"
                      renderRoot={(props) => (
                        <Link
                          to="/dashboard/records"
                          search={{ platform, reference_number: record.reference_number ?? '' }}
                          {...props}
                        />
                      )}
                    >
                      Look for it in the hub
                    </Anchor>
                  )}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
      </FirstFew>
      {found > records.length && (
        <Text size="sm" c="dimmed">
          The platform found {formatCount(found, 'record')}; these are the first {records.length}.
        </Text>
      )}
    </Stack>
  )
}

/** The name, else the reference, else the beginning of what there is. */
function titleOf({ full_name, reference_number, data }: FoundRecord): string {
  return full_name || reference_number || (textOfValue(data) ?? '').slice(0, 80) || 'Without a name'
}

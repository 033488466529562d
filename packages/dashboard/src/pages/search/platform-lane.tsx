import { Accordion, Anchor, Code, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { FoundRecord } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import { useTitles } from '../../api/platforms.ts'
import { ValueView } from '../../components/value-view.tsx'
import { formatCount, formatDuration } from '../../lib/format.ts'
import { textOfValue } from '../../lib/lossless-json.ts'
import { Lane } from './lane.tsx'
import type { PlatformLine, Lane as SearchedLane } from './search-lanes.ts'
import { ShowMore } from './show-more.tsx'
import { TEXTS } from './texts.ts'

/** The results of a platform. */
export function PlatformLane({ lane, isFinished }: { lane: SearchedLane; isFinished: boolean }) {
  const { display_title, platform_name, line } = lane
  if (line === null) {
    return isFinished ? (
      <Lane title={display_title} state={TEXTS.noResponse} color="gray" />
    ) : (
      <Lane title={display_title} state={TEXTS.searching} color="blue" isSearching />
    )
  }
  const duration = (
    <Text size="xs" c="dimmed">
      {formatDuration(line.took_ms)}
    </Text>
  )
  switch (line.outcome) {
    case 'no_endpoint':
      return <Lane title={display_title} state={TEXTS.noSearchEndpoint} color="gray" />
    case 'failed':
      return (
        <Lane title={display_title} state={TEXTS.failed} color="red" aside={duration}>
          <Text size="sm">{line.error?.message}</Text>
        </Lane>
      )
    case 'raw':
      return (
        <Lane title={display_title} state={TEXTS.unknownFormat} color="blue" aside={duration}>
          <Text size="sm" mb="xs">
            {TEXTS.unknownFormatHint}
          </Text>
          <ScrollArea.Autosize
            mah={280}
            viewportProps={{ tabIndex: 0, 'aria-label': TEXTS.responseOf(display_title) }}
          >
            <Code block>{line.raw}</Code>
          </ScrollArea.Autosize>
        </Lane>
      )
    case 'found':
      return line.found === 0 ? (
        <Lane title={display_title} state={TEXTS.noResults} color="gray" aside={duration} />
      ) : (
        <Lane title={display_title} state={TEXTS.found(line.found)} color="green" aside={duration}>
          <FoundRecords line={line} platform={platform_name} />
        </Lane>
      )
  }
}

function FoundRecords({ line, platform }: { line: PlatformLine; platform: string }) {
  const { records, found } = line
  const titles = useTitles()
  // Results of a platform may have no id.
  const numbered = records.map((record, index) => ({ record, number: String(index + 1) }))
  return (
    <Stack gap="xs">
      <ShowMore items={numbered}>
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
                      {TEXTS.findHub}
                    </Anchor>
                  )}
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )}
      </ShowMore>
      {found > records.length && (
        <Text size="sm" c="dimmed">
          {TEXTS.firstShown(formatCount(found, 'record'), records.length)}
        </Text>
      )}
    </Stack>
  )
}

/** The name, the reference number, or the beginning of the data. */
function titleOf({ full_name, reference_number, data }: FoundRecord): string {
  return full_name || reference_number || (textOfValue(data) ?? '').slice(0, 80) || TEXTS.noName
}

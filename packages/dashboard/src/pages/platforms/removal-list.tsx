import { Paper, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { removalsQuery } from '../../api/platforms.ts'
import { formatNumber } from '../../lib/format.ts'

/** The background deletions, with their progress. */
export function RemovalList({ platformName }: { platformName?: string }) {
  const removals = useQuery(removalsQuery())
  const shown = (removals.data ?? []).filter(
    (one) => platformName === undefined || one.platform_name === platformName,
  )
  if (shown.length === 0) return null
  return (
    <Stack gap="xs" mb="md" role="status">
      {shown.map(({ id, platform_title, module_name, records, removed }) => {
        const of = module_name === null ? platform_title : `${module_name} of ${platform_title}`
        const label = `Deleting the records of ${of}`
        const percent = records === 0 ? 0 : Math.min(100, (100 * removed) / records)
        return (
          <Paper key={id} withBorder p="sm">
            <Text size="sm" mb={6}>
              {`${label}: ${formatNumber(removed)} of ${formatNumber(records)}`}
            </Text>
            <Progress value={percent} aria-label={label} />
          </Paper>
        )
      })}
    </Stack>
  )
}

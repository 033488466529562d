import { Alert, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type LinkedPlatform, platformRemovalQuery, usePlatforms } from '../api/platforms.ts'
import { useUrlState } from '../lib/url-state.ts'
import { OperatorName } from './operator-name.tsx'
import { PageLink } from './page-link.tsx'
import { Time } from './time.tsx'

/** Says that the platform of a link was removed. `otherwise` is shown for a platform that was not removed. */
export function RemovedPlatform(props: {
  platform: LinkedPlatform
  /** Of a page that shows nothing else. */
  header?: ReactNode
  otherwise?: ReactNode
}) {
  const { platform, header, otherwise = null } = props
  const { data: removal, isPending } = useQuery(platformRemovalQuery(platform))
  if (isPending) return null
  if (!removal) return otherwise
  const { platform_title, requested_by, requested_at, finished_at } = removal
  return (
    <>
      {header}
      <Alert
        color="blue"
        variant="light"
        mb="md"
        icon={<IconTrash />}
        title={`The platform ${platform_title} was removed`}
        role="status"
      >
        <Text size="sm" component="div">
          Removed by <OperatorName by={requested_by} />, <Time at={requested_at} />.{' '}
          {finished_at === null ? 'Its records are being deleted.' : 'Its records were deleted.'}{' '}
          <PageLink to="/dashboard/platforms" inherit underline="always">
            All platforms
          </PageLink>
        </Text>
      </Alert>
    </>
  )
}

/** The same for the platform of a filter in the URL, if the hub has no platform of this name. */
export function RemovedFilterPlatform() {
  const [{ platform }] = useUrlState()
  const platforms = usePlatforms()
  const isUnknown =
    platforms.data?.every(({ platform_name }) => platform_name !== platform) ?? false
  if (platform === undefined || !isUnknown) return null
  return <RemovedPlatform platform={{ platform }} />
}

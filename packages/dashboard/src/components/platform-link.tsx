import { usePlatforms } from '../api/platforms.ts'
import { PageLink } from './page-link.tsx'

/**
 * A link to a platform by its title; plain text if it was removed. In a column of a table it is underlined on hover only,
 * because all of its cells are links.
 */
export function PlatformLink({ name, isCell = false }: { name: string | null; isCell?: boolean }) {
  const platform = usePlatforms().data?.find((one) => one.platform_name === name)
  if (name === null) return null
  if (!platform) return name
  return (
    <PageLink
      size="sm"
      c="inherit"
      underline={isCell ? 'hover' : 'always'}
      lineClamp={2}
      to="/dashboard/platforms/$id"
      params={{ id: String(platform.id) }}
    >
      {platform.display_title}
    </PageLink>
  )
}

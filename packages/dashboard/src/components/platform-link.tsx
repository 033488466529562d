import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { usePlatforms } from '../api/platforms.ts'

/** A link to a platform by its title; plain text if it was removed. */
export function PlatformLink({ name }: { name: string | null }) {
  const platform = usePlatforms().data?.find((one) => one.platform_name === name)
  if (name === null) return null
  if (!platform) return name
  return (
    <Anchor
      size="sm"
      c="inherit"
      underline="always"
      lineClamp={2}
      renderRoot={(props) => (
        <Link to="/dashboard/platforms/$id" params={{ id: String(platform.id) }} {...props} />
      )}
    >
      {platform.display_title}
    </Anchor>
  )
}

import type { ErrorCode } from '../../errors.ts'

const HINTS: Partial<Record<ErrorCode, string>> = {
  source_url_invalid:
    'Copy the address from a browser that shows the platform, up to and without /api.',
  source_key_invalid: 'Copy the key again. A line break or a space is often copied with it.',
  platform_address_rejected:
    'Use an address that the hub may connect to. HUB_SOURCE_NETWORKS=any allows private networks, and HUB_SOURCE_SCHEMES=any allows http://. Cloud metadata addresses are always blocked.',
  platform_unreachable:
    'Likely a wrong host or port, a platform that is not running, or a firewall. Test the address with curl on the machine of the hub.',
  platform_certificate_invalid:
    'Likely a certificate that has expired, is for another name, or was issued by a private certificate authority.',
  platform_timed_out:
    'Likely an overloaded platform, or a firewall that drops the packets of the hub. For records, likely a database query without an index; a pull waits longer than this test.',
  platform_redirected:
    'Likely http:// instead of https://, a missing www, or a redirect to a sign-in page.',
  platform_rejected_key:
    'Ask the owner of the platform for the key that its hub endpoints expect. A proxy that removes the header X-PLATFORM-API-KEY has the same effect.',
  platform_path_missing:
    'Likely the endpoint is not deployed yet, the route cache is outdated, or a path segment of the base URL is missing or superfluous.',
  platform_failed:
    'The platform failed to process the request. Its log at this time has the error.',
  platform_throttled:
    'Likely a rate limit (in Laravel, the middleware throttle). Exempt these paths or the address of the hub, or try again later.',
  platform_not_json:
    'Likely a sign-in page, an error page, or the warning page of a tunnel. Request the path with curl and the header Accept: application/json.',
  platform_response_invalid:
    'Compare the response with the integration guide: the names and types of its members, and whether it is complete and only JSON.',
  platform_reports_failure: 'The log of the platform at this time has the error.',
  platform_broke_off:
    'Likely a crash, a time limit or a memory limit while the platform generated the response.',
  platform_response_too_large:
    'The response to a ping or a manifest request should have a few kilobytes.',
  platform_name_differs:
    'Likely the address of another installation, or a platform_name that was changed after it was registered.',
}

/** The likely cause of an error of a platform, and the remedy; empty without one. */
export function connectionHint(code: ErrorCode): string {
  return HINTS[code] ?? ''
}

import { LakehouseError } from '../error/error.ts';
import { parseLocation } from './fileio.ts';

/** An object of a bucket. */
export type S3Place = { readonly bucket: string; readonly key: string };

/** Takes locations below a warehouse's root apart; others are `location_outside_root`. */
export function placesBelow({ bucket, key }: S3Place): (location: string) => S3Place {
  const prefix = key === '' ? '' : `${key}/`;
  return (location) => {
    const place = parseLocation(location);
    if (place.kind !== 's3' || place.bucket !== bucket || place.key === '' || !place.key.startsWith(prefix)) {
      throw new LakehouseError('location_outside_root', 'A location lies outside the warehouse');
    }
    return place;
  };
}

import { makeTimeVirtual } from '../helpers/time';

makeTimeVirtual();

"""ORBIT to HALL: packets of two poses in any frame become motion of thirteen axes."""

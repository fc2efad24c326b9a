"""What can be seen of a scene, and how: for virtual sensors, which draw what is true, and for flight software, which
draws what it expects."""
